import { expect, test } from "bun:test"
import { reliability } from "tollgate-contract/usage.ts"
import { ReliabilityReports } from "../../src/management/reliability.ts"
import { ENGINES } from "../store/engines.ts"
import { ReportedEngine } from "../store/reported-requests.ts"
import { OPERATOR, userIn } from "./actors.ts"

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 2, 2, 10, 30)

for (const engine of ENGINES) {
  test(`${engine.name}: model reliability is computed by hour from stored requests`, async () => {
    await using own = await ReportedEngine.on(engine)
    await own.add(
      { request: "req_1", at: NOW, model: "m/good", duration: 1_000, usage: { output: 50 } },
      { request: "req_2", at: NOW - HOUR, model: "m/good", outcomes: ["upstream_error"] },
      { request: "req_3", at: NOW, model: "m/bad", outcomes: ["upstream_timeout"] },
      { request: "req_4", at: NOW - 3 * HOUR, model: "m/bad" },
      { request: "req_5", at: NOW - 30 * HOUR, model: "m/old" },
    )
    const reports = new ReliabilityReports(own.reports)
    const found = reliability.parse(await reports.report(OPERATOR, { group: "model" }, NOW))
    const rowOf = (group: string) => found.data.find((row) => row.group === group)
    expect(rowOf("m/good")).toMatchObject({ state: "healthy", requests: 2, failed: 1 })
    expect(rowOf("m/good")?.times).toMatchObject({ p95_duration_ms: 1_000, tokens_per_second: 50 })
    expect(rowOf("m/bad")).toMatchObject({
      state: "failing",
      failing_since: "2026-03-02T10:00:00.000Z",
      requests: 2,
      failed: 1,
    })
    expect(rowOf("m/good")).toMatchObject({ failing_since: null })
    expect(rowOf("m/old")).toBeUndefined()
    const hours = rowOf("m/good")?.hours ?? []
    expect(hours).toHaveLength(24)
    expect(hours.at(-1)).toEqual({ at: "2026-03-02T10:00:00.000Z", requests: 1, failed: 0 })
    expect(hours.at(-2)).toEqual({ at: "2026-03-02T09:00:00.000Z", requests: 1, failed: 1 })
    expect(hours.at(-3)).toMatchObject({ requests: 0, failed: 0 })
  })

  test(`${engine.name}: a provider has been failing since its first failed hour after its last success`, async () => {
    await using own = await ReportedEngine.on(engine)
    const failed = { model: "p/m", outcomes: ["upstream_error"] } as const
    await own.add(
      { request: "req_1", at: NOW - 6 * HOUR, ...failed },
      { request: "req_2", at: NOW - 5 * HOUR, model: "p/m" },
      { request: "req_3", at: NOW - 4 * HOUR, ...failed },
      { request: "req_4", at: NOW - 2 * HOUR, ...failed },
    )
    const reports = new ReliabilityReports(own.reports)
    const { data } = await reports.report(OPERATOR, { group: "model" }, NOW)
    expect(data).toMatchObject([
      { state: "failing", failing_since: "2026-03-02T06:00:00.000Z", failed: 3 },
    ])
  })

  test(`${engine.name}: model reliability excludes invalid requests and models without valid requests`, async () => {
    await using own = await ReportedEngine.on(engine)
    await own.add(
      { request: "req_1", at: NOW, model: "m/mixed" },
      { request: "req_2", at: NOW, model: "m/mixed", outcomes: ["rejected_by_upstream"] },
      { request: "req_3", at: NOW, model: "m/rejected", outcomes: ["rejected_by_upstream"] },
    )
    const { data } = await new ReliabilityReports(own.reports).report(
      OPERATOR,
      { group: "model" },
      NOW,
    )
    expect(data).toMatchObject([{ group: "m/mixed", state: "healthy", requests: 1, failed: 0 }])
  })

  test(`${engine.name}: model reliability for members includes only requests of their own accounts`, async () => {
    await using own = await ReportedEngine.on(engine)
    await own.add(
      { request: "req_1", at: NOW, model: "m/one" },
      { request: "req_2", at: NOW, model: "m/one", account: "b" },
      { request: "req_3", at: NOW, model: "m/other", account: "b" },
    )
    const reports = new ReliabilityReports(own.reports)
    const groups = async (actor = OPERATOR) =>
      (await reports.report(actor, { group: "model" }, NOW)).data.map(
        ({ group, requests }) => `${group} ${requests}`,
      )
    expect(await groups()).toEqual(["m/one 2", "m/other 1"])
    expect(await groups(userIn({ a: "viewer" }))).toEqual(["m/one 1"])
    expect(await groups(userIn({}))).toEqual([])
  })
}
