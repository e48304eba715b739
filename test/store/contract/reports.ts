import { describe, expect, test } from "bun:test"
import type { RequestFilter } from "../../../src/store/requests.ts"
import type { Engine } from "../engines.ts"
import { found, keyOf, ReportedEngine } from "../reported-requests.ts"
import { sortedRequestContract } from "./sorted-requests.ts"

const HOUR = 3_600_000

/** 2026-03-02, 10:30 UTC. */
const AT = Date.UTC(2026, 2, 2, 10, 30)

const EXPIRED = JSON.stringify({ status: "expired" })

/** Tests that an engine fulfills this contract. */
export function reportContract(engine: Engine): void {
  sortedRequestContract(engine)

  describe("the request list", () => {
    test("matches the receipt of each request", async () => {
      await using own = await ReportedEngine.on(engine)
      const usage = {
        input: 1,
        cached_input: 2,
        cache_write: 4,
        audio_input: 8,
        output: 16,
        image: 3,
      }
      await own.add({
        request: "req_1",
        at: AT,
        cost: 7n,
        model: "openai/gpt",
        usage,
        stream: true,
      })
      const reports = await own.reports.upToDate()
      expect(await reports.list({}, null, 10)).toEqual([
        {
          row: expect.any(Number),
          request: "req_1",
          account: "a",
          key: "key_a",
          keyName: "key_a",
          endpoint: "/v1/chat/completions",
          model: "openai/gpt",
          provider: "openai",
          priceGroup: null,
          status: "settled",
          outcome: "ok",
          stream: true,
          estimated: false,
          at: AT,
          duration: 100,
          firstByte: 20,
          input: 15,
          output: 16,
          cost: 7n,
          writtenOff: 0n,
          providerCost: 0n,
          labels: {},
        },
      ])
    })

    test("shows the outcome of each request", async () => {
      await using own = await ReportedEngine.on(engine)
      const released = { status: "released", cost: 0n, usage: null } as const
      await own.add(
        { request: "fine", outcomes: ["upstream_error", "ok"] },
        { request: "broken", outcomes: ["upstream_timeout"] },
        { request: "left", outcomes: ["caller_disconnected"] },
        { request: "several", outcomes: ["ok", "not_needed"] },
        { request: "rejected", outcomes: ["rejected_by_upstream"], ...released },
        { request: "untried", outcomes: [], ...released },
        { request: "expired", outcomes: [], ...released, status: "expired" },
      )
      const reports = await own.reports.upToDate()
      const rows = await reports.list({}, null, 10)
      expect(Object.fromEntries(rows.map((row) => [row.request, row.outcome]))).toEqual({
        fine: "ok",
        broken: "upstream_timeout",
        left: "caller_disconnected",
        several: "ok",
        rejected: "rejected_by_upstream",
        untried: "released",
        expired: "expired",
      })
      expect(rows.find(({ request }) => request === "rejected")?.provider).toBe("sim")
      expect(rows.find(({ request }) => request === "untried")?.provider).toBeNull()
      expect(rows.find(({ request }) => request === "expired")?.duration).toBeNull()
      expect((await found(own, { failed: false })).toSorted()).toEqual(["fine", "left", "several"])
      expect((await found(own, { failed: true })).toSorted()).toEqual([
        "broken",
        "expired",
        "rejected",
        "untried",
      ])
    })

    test("shows written-off amounts and can be filtered by them", async () => {
      await using own = await ReportedEngine.on(engine)
      const writtenOff = [
        { amount: 5n, reason: "usage_beyond_bound" },
        { amount: 2n, reason: "account_empty" },
      ] as const
      await own.add(
        { request: "paid", at: AT, account: "b" },
        { request: "partly", at: AT, cost: 3n, writtenOff },
        { request: "not at all", at: AT, cost: 0n, writtenOff, account: "b" },
        { request: "left", at: AT, outcomes: ["caller_disconnected"], writtenOff },
      )
      const reports = await own.reports.upToDate()
      const rows = await reports.list({ writtenOff: true }, null, 10)
      const told = rows.map(({ request, outcome, cost, writtenOff }) => [
        request,
        outcome,
        cost,
        writtenOff,
      ])
      expect(told.toSorted()).toEqual([
        ["left", "caller_disconnected", 10n, 7n],
        ["not at all", "written_off", 0n, 7n],
        ["partly", "written_off", 3n, 7n],
      ])
      expect(await found(own, { writtenOff: true, accounts: ["b"] })).toEqual(["not at all"])
      expect(await found(own, { search: "written" })).toHaveLength(2)
      const span = { from: AT, to: AT + 1 }
      expect(await reports.sumUsage(span, "account")).toMatchObject([
        { group: "a", requests: 2, errors: 0, cost: 13n, writtenOff: 14n },
        { group: "b", requests: 2, errors: 0, cost: 10n, writtenOff: 7n },
      ])
    })

    test("contains a request that was settled after its expiry once, with its final result", async () => {
      await using own = await ReportedEngine.on(engine)
      const { store } = own.database
      const node = { process: 1, host: "test", beatAt: 1, machine: null }
      const hold = { account: "a", key: "key_a", amount: 9n, at: AT, receipt: EXPIRED }
      const payer = { account: "a", key: "key_a", budgets: [] }
      const ended = { ...payer, amount: 9n, writtenOff: [], at: AT, receipt: "{}" }
      async function endLate(request: string, look: () => Promise<unknown>): Promise<void> {
        await store.nodes.join({ ...node, id: request })
        const opened = [{ ...hold, request }]
        await store.settlements.post(request, { postings: [], opened, closed: [] })
        await store.nodes.remove(request, AT)
        await look()
        await store.settlements.post("other", {
          postings: [{ ...ended, request }],
          opened: [],
          closed: [],
        })
      }
      await endLate("seen before", async () => {
        expect(await found(own, { failed: true })).toEqual(["seen before"])
      })
      await endLate("not seen before", async () => {})
      const reports = await own.reports.upToDate()
      const rows = await reports.list({}, null, 10)
      expect(rows.map(({ request, outcome, cost }) => [request, outcome, cost]).toSorted()).toEqual(
        [
          ["not seen before", "ok", 9n],
          ["seen before", "ok", 9n],
        ],
      )
      expect(await reports.sumUsage({ from: AT, to: AT + 1 }, "outcome")).toMatchObject([
        { group: "ok", requests: 2, errors: 0, cost: 18n },
      ])
      expect(await reports.keyUses(["key_a"])).toMatchObject([{ requests: 2, spent: 18n }])
    })

    test("includes receipts of older versions that lack newer fields", async () => {
      await using own = await ReportedEngine.on(engine)
      const payer = { account: "a", key: "key_a", budgets: [] }
      const post = { ...payer, amount: 3n, writtenOff: [], at: AT }
      const texts = ["{}", "[]", "null", "no json", '{"attempts":5,"usage":[],"deployment":7}']
      const postings = texts.map((receipt, index) => ({
        ...post,
        request: `req_${index}`,
        receipt,
      }))
      await own.database.store.settlements.post("node", { postings, opened: [], closed: [] })
      const reports = await own.reports.upToDate()
      const rows = await reports.list({}, null, 10)
      expect(rows).toHaveLength(5)
      for (const row of rows) {
        expect(row).toMatchObject({ model: "", provider: null, outcome: "ok", cost: 3n, input: 0 })
      }
    })

    test("can be filtered by every field", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.database.key("second", "a", null)
      await own.add(
        { request: "req_1", at: AT, model: "openai/gpt-4" },
        { request: "req_2", at: AT + 1, model: "openai/gpt-5", key: "second" },
        { request: "req_3", at: AT + 2, model: "google/gemini", account: "b" },
        { request: "req_4", at: AT + 3, model: "openai/gpt-5", outcomes: ["upstream_error"] },
      )
      const cases: [RequestFilter, string[]][] = [
        [{}, ["req_4", "req_3", "req_2", "req_1"]],
        [{ accounts: [] }, []],
        [{ accounts: ["a"] }, ["req_4", "req_2", "req_1"]],
        [{ accounts: ["b", "a"] }, ["req_4", "req_3", "req_2", "req_1"]],
        [{ accounts: ["b"], key: "second" }, []],
        [{ accounts: ["a"], key: "second" }, ["req_2"]],
        [{ model: "openai/gpt-5" }, ["req_4", "req_2"]],
        [{ model: "openai/gpt-5", accounts: ["b"] }, []],
        [{ model: "openai/*" }, ["req_4", "req_2", "req_1"]],
        [{ model: "*/gpt-?" }, []],
        [{ model: "openai/*", accounts: ["a"], key: "second" }, ["req_2"]],
        [{ model: "nobody/*" }, []],
        [{ provider: "google" }, ["req_3"]],
        [{ failed: true }, ["req_4"]],
        [{ failed: true, accounts: ["a"] }, ["req_4"]],
        [{ failed: true, accounts: ["a"], model: "openai/gpt-4" }, []],
        [{ search: "req_3" }, ["req_3"]],
        [{ search: "req_3", accounts: ["a"] }, []],
        [{ search: "q_2" }, ["req_2"]],
        [{ search: "upstream" }, ["req_4"]],
        [{ search: "stream_e", accounts: ["a"] }, ["req_4"]],
        [{ search: "upstream", failed: false }, []],
        [{ search: "timeout" }, []],
        [{ search: "ok", accounts: ["b"] }, ["req_3"]],
        [{ search: "e" }, ["req_4", "req_3", "req_2", "req_1"]],
        [{ search: "%" }, []],
        [{ search: "" }, ["req_4", "req_3", "req_2", "req_1"]],
        [{ search: "req_3\0" }, []],
        [{ key: "second\0" }, []],
        [{ model: "openai%" }, []],
        [{ model: "openai_*" }, []],
        [{ model: "*\\*" }, []],
        [{ model: "*-5", provider: "openai", failed: false }, ["req_2"]],
        [{ provider: "openai", writtenOff: true }, []],
        [{ provider: "openai", failed: true, accounts: ["a", "b"] }, ["req_4"]],
        [{ key: "key_a", from: AT + 1, to: AT + 4 }, ["req_4"]],
        [{ from: AT + 1, to: AT + 3 }, ["req_3", "req_2"]],
      ]
      for (const [filter, ids] of cases)
        expect([filter, await found(own, filter)]).toEqual([filter, ids])
    })

    test("has pages without gaps or repetitions, across accounts", async () => {
      await using own = await ReportedEngine.on(engine)
      const all = Array.from({ length: 23 }, (_, index) => ({
        request: `req_${index}`,
        account: index % 3 === 0 ? "b" : "a",
        // Several requests begin in the same millisecond, and they end in another order.
        at: AT + (index % 4) + (index % 3) * HOUR,
      }))
      await own.add(...all)
      const reports = await own.reports.upToDate()
      const filters = [
        {},
        { accounts: ["a", "b"] },
        { model: "sim/*" },
        { accounts: ["b", "a"], provider: "sim" },
      ]
      for (const filter of filters) {
        const seen: string[] = []
        for (let place = null; ;) {
          const page = await reports.list(filter, place, 5)
          seen.push(...page.map(({ request }) => request))
          const last = page.at(-1)
          if (!last) break
          place = { at: last.at, row: last.row }
        }
        expect(seen).toHaveLength(23)
        expect(new Set(seen).size).toBe(23)
      }
    })

    test("finds a few matching requests among many, page by page", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.database.key("second", "a", null)
      const all = Array.from({ length: 240 }, (_, index) => ({
        request: `r${index}`,
        at: AT + index * (HOUR / 4) + (index % 5),
        account: keyOf(index) === "key_b" ? "b" : "a",
        key: keyOf(index),
        model: index % 11 === 0 || index > 220 ? "rare/one" : "sim/echo",
        outcomes: [index % 9 === 0 ? "upstream_error" : "ok"],
        writtenOff: index % 13 === 0 ? ([{ amount: 1n, reason: "account_empty" }] as const) : [],
      }))
      await own.add(...all)
      const reports = await own.reports.upToDate()
      type Sent = (typeof all)[number]
      const cases: [RequestFilter, (sent: Sent) => boolean][] = [
        [{ key: "second" }, ({ key }) => key === "second"],
        [
          { accounts: ["a"], key: "second" },
          ({ key, account }) => key === "second" && account === "a",
        ],
        [{ model: "rare/*", accounts: ["a", "b"] }, ({ model }) => model === "rare/one"],
        [
          { provider: "rare", failed: true },
          ({ model, outcomes }) => model === "rare/one" && outcomes[0] !== "ok",
        ],
        [
          { provider: "rare", failed: false },
          ({ model, outcomes }) => model === "rare/one" && outcomes[0] === "ok",
        ],
        [
          { key: "key_a", writtenOff: true },
          ({ key, writtenOff }) => key === "key_a" && writtenOff.length > 0,
        ],
        [
          { key: "key_a", from: AT + 2 * HOUR + 1, to: AT + 40.5 * HOUR },
          ({ key, at }) => key === "key_a" && at > AT + 2 * HOUR && at < AT + 40.5 * HOUR,
        ],
      ]
      for (const [filter, isIn] of cases) {
        const expected = all.filter(isIn).toReversed()
        const seen: string[] = []
        for (let place = null; ;) {
          const page = await reports.list(filter, place, 7)
          seen.push(...page.map(({ request }) => request))
          const last = page.at(-1)
          if (!last) break
          expect(page.length === 7 || seen.length === expected.length).toBe(true)
          place = { at: last.at, row: last.row }
        }
        expect([filter, seen]).toEqual([filter, expected.map(({ request }) => request)])
      }
    })
  })

  describe("totals of requests", () => {
    test("can be grouped by hour, day, model, key, provider, account or outcome", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add(
        { request: "req_1", at: AT, cost: 5n, duration: 100, firstByte: 10 },
        { request: "req_2", at: AT + HOUR, cost: 6n, duration: 201, firstByte: null },
        { request: "req_3", at: AT + 24 * HOUR, cost: 9n, account: "b", model: "openai/gpt" },
        { request: "req_4", at: AT, cost: 0n, status: "released", outcomes: ["upstream_error"] },
      )
      const reports = await own.reports.upToDate()
      const filter = { from: AT - 72 * HOUR, to: AT + 72 * HOUR }
      const day = Date.UTC(2026, 2, 2)
      expect(await reports.sumUsage(filter, "day")).toEqual([
        {
          group: String(day),
          requests: 3,
          errors: 1,
          input: 30,
          output: 15,
          cost: 11n,
          meanDuration: 151,
          meanFirstByte: 10,
          writtenOff: 0n,
          providerCost: 0n,
        },
        expect.objectContaining({
          group: String(day + 24 * HOUR),
          requests: 1,
          errors: 0,
          cost: 9n,
        }),
      ])
      const groups = async (group: Parameters<typeof reports.sumUsage>[1]) =>
        (await reports.sumUsage(filter, group)).map((row) => [row.group, row.requests])
      expect(await groups("hour")).toEqual([
        [String(AT - HOUR / 2), 2],
        [String(AT + HOUR / 2), 1],
        [String(AT + 23.5 * HOUR), 1],
      ])
      expect(await groups("model")).toEqual([
        ["sim/echo", 3],
        ["openai/gpt", 1],
      ])
      expect(await groups("key")).toEqual([
        ["key_a", 3],
        ["key_b", 1],
      ])
      expect(await groups("account")).toEqual([
        ["a", 3],
        ["b", 1],
      ])
      expect(await groups("provider")).toEqual([
        ["sim", 3],
        ["openai", 1],
      ])
      expect(await groups("outcome")).toEqual([
        ["ok", 3],
        ["upstream_error", 1],
      ])
    })

    test("do not depend on whether whole days are read by day or by hour", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add(
        ...Array.from({ length: 100 }, (_, index) => ({
          request: `req_${index}`,
          at: AT + index * HOUR,
          cost: BigInt(index),
        })),
      )
      const reports = await own.reports.upToDate()
      for (const [begin, end] of [
        [0, 100],
        [3, 80],
        [13, 14],
        [14, 38],
        [20, 30],
        [50, 50],
      ] as const) {
        const filter = { from: AT + begin * HOUR, to: AT + end * HOUR }
        const [account] = await reports.sumUsage(filter, "account")
        const hours = await reports.sumUsage(filter, "hour")
        // Both ends of the range are in the middle of an hour. The whole hour is then counted.
        const isEmpty = begin === end
        expect(account?.requests ?? 0).toBe(isEmpty ? 0 : Math.min(end + 1, 100) - begin)
        expect(hours.reduce((sum, { cost }) => sum + cost, 0n)).toBe(account?.cost ?? 0n)
      }
    })

    test("exclude other accounts", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add({ request: "req_1", at: AT }, { request: "req_2", at: AT, account: "b" })
      const reports = await own.reports.upToDate()
      const filter = { from: AT - 48 * HOUR, to: AT + 48 * HOUR }
      const count = async (narrow: object) =>
        (await reports.sumUsage({ ...filter, ...narrow }, "account")).map(({ group }) => group)
      expect(await count({ accounts: ["b"] })).toEqual(["b"])
      expect(await count({ accounts: [] })).toEqual([])
      expect(await count({ key: "key_a" })).toEqual(["a"])
      expect(await count({ model: "sim/other" })).toEqual([])
    })
  })

  test("latency reports cover the responses since a given time, with filters", async () => {
    await using own = await ReportedEngine.on(engine)
    await own.add(
      ...Array.from({ length: 100 }, (_, index) => ({
        request: `req_${index}`,
        at: AT,
        duration: index + 1,
      })),
      { request: "old", at: AT - 1, duration: 9_000 },
      { request: "released", at: AT, duration: 9_000, status: "released", cost: 0n },
      { request: "other", at: AT, duration: 7_000, account: "b" },
    )
    const reports = await own.reports.upToDate()
    expect(await reports.latencies(["a"], AT)).toEqual({ p50: 50, p95: 95 })
    expect(await reports.latencies(["b"], AT)).toEqual({ p50: 7_000, p95: 7_000 })
    expect(await reports.latencies(undefined, AT + 1)).toEqual({ p50: null, p95: null })
  })

  test("usage and spending are listed for one or several keys", async () => {
    await using own = await ReportedEngine.on(engine)
    await own.add(
      { request: "req_1", at: AT, cost: 5n },
      { request: "req_2", at: AT + 9, cost: 6n },
    )
    await (await own.reports.upToDate()).list({}, null, 1)
    await own.add({ request: "req_3", at: AT + 4, cost: 1n })
    const reports = await own.reports.upToDate()
    expect(await reports.keyUses(["key_a", "key_b"])).toEqual([
      { key: "key_a", lastUsedAt: AT + 9, requests: 3, spent: 12n },
    ])
  })

  test("the last usage and spending are listed for some or all accounts", async () => {
    await using own = await ReportedEngine.on(engine)
    await own.database.account("unused", 1n)
    await own.database.key("second", "a", null)
    const day = Date.UTC(2026, 2, 2)
    await own.add(
      { request: "req_1", at: day - 1, cost: 100n },
      { request: "req_2", at: day, cost: 5n },
      { request: "req_3", at: day + 24 * HOUR, cost: 7n, key: "second" },
      { request: "req_4", at: day - 1, cost: 3n, account: "b" },
    )
    const reports = await own.reports.upToDate()
    const times = { from: day, recentFrom: day + 24 * HOUR }
    const a = { account: "a", lastUsedAt: day + 24 * HOUR, spent: 12n, recentlySpent: 7n }
    const b = { account: "b", lastUsedAt: day - 1, spent: 0n, recentlySpent: 0n }
    const all = await reports.accountUses(times)
    expect(all.toSorted((left, right) => (left.account < right.account ? -1 : 1))).toEqual([a, b])
    expect(await reports.accountUses({ ...times, accounts: ["b", "unused"] })).toEqual([b])
    expect(await reports.accountUses({ ...times, accounts: [] })).toEqual([])
    expect(await reports.accountUses({ ...times, accounts: ["b\0", "'"] })).toEqual([])
  })
}
