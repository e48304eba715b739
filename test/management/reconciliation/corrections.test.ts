import { describe, expect, test } from "bun:test"
import { usageQuery } from "tollgate-contract/usage.ts"
import { Audit } from "../../../src/management/audit.ts"
import { Reconciliations } from "../../../src/management/reconciliation/reconciliations.ts"
import { UsageReports } from "../../../src/management/usage.ts"
import { ENGINES } from "../../store/engines.ts"
import { ReportedEngine } from "../../store/reported-requests.ts"
import { kindOf, OPERATOR, userIn } from "../actors.ts"
import { addCalls, billed, FIRST, reconcile, SECOND } from "./support.ts"

const SPAN = { from: "2026-11-01T00:00:00Z", to: "2026-11-03T00:00:00Z" }

describe.each(ENGINES)("the usage report on $name", (engine) => {
  test("counts a posted bill difference as provider cost once", async () => {
    await using own = await ReportedEngine.on(engine)
    const { store } = own.database
    await addCalls(
      store,
      { day: FIRST, model: "gpt-plain", input: 1_000_000 },
      { day: SECOND, model: "gpt-plain", input: 1_000_000 },
    )
    const before = await store.accounts.find("a")
    const rows = [
      billed({ day: FIRST, model: "gpt-plain", cost: "1.5" }),
      billed({ day: SECOND, model: "gpt-plain", cost: "0.7500000001" }),
    ]
    const posted = await reconcile(store, rows, { reason: "bill of November" })
    expect(posted).toMatchObject({
      difference: "0.25",
      posted: { amount: "0.25", reason: "bill of November" },
    })
    // For the same bill, no further correction is posted.
    const again = await reconcile(store, rows, { reason: "bill of November" })
    expect(again).toMatchObject({ corrected: "0.25", difference: "0", posted: { amount: "0" } })
    // For a corrected bill, only the difference from the first bill is posted.
    const first = { day: FIRST, model: "gpt-plain", cost: "1.25" }
    const late = await reconcile(store, [billed(first), ...rows.slice(1)], { reason: "credit" })
    expect(late).toMatchObject({ corrected: "0.25", posted: { amount: "-0.25" } })

    const usage = new UsageReports(store, own.reports)
    const ask = (query: object) =>
      usage.usage(OPERATOR, usageQuery.parse({ ...SPAN, group: "day", ...query }))
    const days = await ask({ series: "day" })
    const costs = (rows: readonly { provider_cost?: string | undefined }[] = []) =>
      rows.map((row) => row.provider_cost)
    expect(costs(days.data)).toEqual(["1.25", "0.75"])
    expect(costs(days.series)).toEqual(["1.25", "0.75"])
    expect(days.total.provider_cost).toBe("2")
    const providers = await ask({ group: "provider", series: "day" })
    expect(costs(providers.data)).toEqual(["2"])
    expect(costs(providers.series)).toEqual(["1.25", "0.75"])
    expect((await ask({ provider: "openai" })).total.provider_cost).toBe("2")
    // Corrections do not belong to any account, key or model.
    expect((await ask({ account: "a" })).total.provider_cost).toBe("2")
    expect(costs((await ask({ account: "a" })).data)).toEqual(["1", "1"])
    expect((await ask({ provider: "azure" })).total.provider_cost).toBe("0")

    // No balance changes. The audit log contains the corrections.
    expect((await store.accounts.find("a"))?.balance).toBe(before?.balance)
    const audit = await store.audit.list({ action: "provider.reconcile" }, null, 10)
    expect(audit.map(({ target, after }) => [target, JSON.parse(after ?? "").posted])).toEqual([
      ["openai", { amount: "-0.25", reason: "credit" }],
      ["openai", { amount: "0", reason: "bill of November" }],
      ["openai", { amount: "0.25", reason: "bill of November" }],
    ])
    const service = new Reconciliations(store, new Audit(store))
    expect(await service.list(OPERATOR)).toEqual({ object: "list", data: [late] })
    expect(await kindOf(service.list(userIn({ a: "owner" })))).toBe("forbidden")
  })

  test("reports a day with a bill correction and no requests", async () => {
    await using own = await ReportedEngine.on(engine)
    const { store } = own.database
    await reconcile(store, [billed({ day: FIRST, model: "gpt-plain", cost: "3" })], { reason: "x" })
    const usage = new UsageReports(store, own.reports)
    const ask = (group: string) =>
      usage.usage(OPERATOR, usageQuery.parse({ ...SPAN, group, series: "day" }))
    const day = { requests: 0, cost: "0", provider_cost: "3" }
    expect((await ask("day")).data).toMatchObject([{ group: "2026-11-01T00:00:00.000Z", ...day }])
    const providers = await ask("provider")
    expect(providers).toMatchObject({ data: [{ group: "openai", ...day }], total: day })
    expect(providers.series).toMatchObject([{ group: "openai", ...day }])
  })
})
