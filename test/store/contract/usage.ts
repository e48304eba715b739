import { describe, expect, test } from "bun:test"
import type { Engine } from "../engines.ts"
import { found, keyOf, ReportedEngine } from "../reported-requests.ts"

const HOUR = 3_600_000

/** 2026-03-02, 10:30 UTC. */
const AT = Date.UTC(2026, 2, 2, 10, 30)

/** Tests that an engine fulfills this contract. */
export function usageContract(engine: Engine): void {
  describe("labels in usage reports", () => {
    const search = { name: "tag", value: "feature=search" } as const
    const ann = { name: "user", value: "ann" } as const

    async function labelled(): Promise<ReportedEngine> {
      const own = await ReportedEngine.on(engine)
      await own.add(
        {
          request: "req_1",
          at: AT,
          labels: { user: "ann", tags: { feature: "search", team: "b" } },
        },
        { request: "req_2", at: AT + 1, labels: { user: "bob", tags: { feature: "search" } } },
        { request: "req_3", at: AT + 2, account: "b", labels: { user: "ann", session: "s" } },
        { request: "req_4", at: AT + HOUR, cost: 3n, labels: { user: "ann" } },
        { request: "req_5", at: AT + 3 },
      )
      return own
    }

    test("appear in lists and work as filters", async () => {
      await using own = await labelled()
      const reports = await own.reports.upToDate()
      const [first] = await reports.list({ labels: [search, ann] }, null, 10)
      expect(first?.labels).toEqual({ user: "ann", tags: { feature: "search", team: "b" } })
      expect(await found(own, { labels: [ann] })).toEqual(["req_4", "req_3", "req_1"])
      expect(await found(own, { labels: [ann, search] })).toEqual(["req_1"])
      expect(await found(own, { labels: [ann], accounts: ["b"] })).toEqual(["req_3"])
      expect(await found(own, { labels: [ann], accounts: ["a", "b"], to: AT + HOUR })).toEqual([
        "req_3",
        "req_1",
      ])
      expect(await found(own, { labels: [ann], from: AT + 1, model: "sim/*" })).toEqual([
        "req_4",
        "req_3",
      ])
      expect(await found(own, { labels: [{ name: "user", value: "ann\0" }] })).toEqual([])
      expect(await found(own, { labels: [{ name: "session", value: "ann" }] })).toEqual([])
    })

    test("have pages like other lists", async () => {
      await using own = await labelled()
      const reports = await own.reports.upToDate()
      const pages: string[] = []
      let after: Parameters<typeof reports.list>[1] = null
      for (;;) {
        const [row] = await reports.list({ labels: [ann] }, after, 1)
        if (!row) break
        pages.push(row.request)
        after = row
      }
      expect(pages).toEqual(["req_4", "req_3", "req_1"])
    })

    test("group and filter totals, alone and over time", async () => {
      await using own = await labelled()
      const reports = await own.reports.upToDate()
      const span = { from: AT, to: AT + 2 * HOUR }
      expect(await reports.sumUsage(span, "user")).toMatchObject([
        { group: "ann", requests: 3, cost: 23n, input: 30 },
        { group: "bob", requests: 1, cost: 10n },
      ])
      expect(await reports.sumUsage(span, "tag")).toMatchObject([
        { group: "feature=search", requests: 2 },
        { group: "team=b", requests: 1 },
      ])
      expect(await reports.sumUsage({ ...span, labels: [search] }, "user")).toMatchObject([
        { group: "ann", requests: 1 },
        { group: "bob", requests: 1 },
      ])
      expect(await reports.sumUsage({ ...span, labels: [ann] }, "account")).toMatchObject([
        { group: "a", requests: 2 },
        { group: "b", requests: 1 },
      ])
      expect(
        await reports.sumUsage({ ...span, labels: [ann], accounts: ["b"] }, "all"),
      ).toMatchObject([{ group: "", requests: 1, meanDuration: 100 }])
      const series = { group: "user", names: ["ann"], step: "hour" } as const
      const points = await reports.usageSeries(span, series)
      expect(points.map(({ at, group, requests }) => [at, group, requests])).toEqual([
        [AT - HOUR / 2, "", 1],
        [AT - HOUR / 2, "ann", 2],
        [AT + HOUR / 2, "ann", 1],
      ])
      const sample = await reports.sampleResponses({ ...span, labels: [ann] }, "tag", ["team=b"])
      expect(sample.at).toHaveLength(3)
      const tagged = sample.entries.responses[0] ?? -1
      expect([...sample.entries.responses]).toEqual([tagged, tagged])
      expect([...sample.entries.names].toSorted((left, right) => left - right)).toEqual([-1, 0])
    })

    test("show the largest increases and decreases between two periods, by label and by name", async () => {
      await using own = await labelled()
      const reports = await own.reports.upToDate()
      const after = { from: AT + HOUR / 2, to: AT + 2 * HOUR }
      const before = { from: AT - HOUR / 2, to: AT + HOUR / 2 }
      const groups = ["all", "key", "user", "tag", "session"] as const
      const none = { cost: 0n, requests: 0 }
      const changes = await reports.usageChanges({ after, before }, groups, 1)
      expect(changes).toEqual([
        [{ group: "", after: { cost: 3n, requests: 1 }, before: { cost: 40n, requests: 4 } }],
        [
          { group: "key_b", after: none, before: { cost: 10n, requests: 1 } },
          {
            group: "key_a",
            after: { cost: 3n, requests: 1 },
            before: { cost: 30n, requests: 3 },
          },
        ],
        [
          { group: "bob", after: none, before: { cost: 10n, requests: 1 } },
          { group: "ann", after: { cost: 3n, requests: 1 }, before: { cost: 20n, requests: 2 } },
        ],
        [
          { group: "team=b", after: none, before: { cost: 10n, requests: 1 } },
          { group: "feature=search", after: none, before: { cost: 20n, requests: 2 } },
        ],
        [{ group: "s", after: none, before: { cost: 10n, requests: 1 } }],
      ])
      const filtered = { labels: [ann], accounts: ["b"] }
      const ofAnn = await reports.usageChanges(
        { after: { ...before, ...filtered }, before: { ...after, ...filtered } },
        ["model", "user"],
        5,
      )
      const change = { after: { cost: 10n, requests: 1 }, before: none }
      expect(ofAnn).toEqual([[{ group: "sim/echo", ...change }], [{ group: "ann", ...change }]])
      const ofNobody = { ...after, labels: [{ name: "user", value: "nobody" }] } as const
      const nothing = await reports.usageChanges(
        { after: ofNobody, before: ofNobody },
        ["all", "user"],
        5,
      )
      expect(nothing).toEqual([[], []])
    })

    test("include a request that was settled after its expiry once", async () => {
      await using own = await ReportedEngine.on(engine)
      const { store } = own.database
      const receipt = JSON.stringify({ status: "expired", user: "ann", endpoint: "/v1/messages" })
      const payer = { account: "a", key: "key_a", budgets: [] }
      await store.nodes.join({ id: "n", process: 1, host: "test", beatAt: 1, machine: null })
      const hold = { ...payer, request: "req_1", amount: 9n, at: AT, receipt }
      await store.settlements.post("n", { postings: [], opened: [hold], closed: [] })
      await store.nodes.remove("n", AT)
      const posting = { ...payer, request: "req_1", amount: 9n, writtenOff: [], at: AT }
      const settled = JSON.stringify({ user: "ann", endpoint: "/v1/messages" })
      await store.settlements.post("other", {
        postings: [{ ...posting, receipt: settled }],
        opened: [],
        closed: [],
      })
      const reports = await own.reports.upToDate()
      expect(await found(own, { labels: [ann] })).toEqual(["req_1"])
      expect(await reports.sumUsage({ from: AT, to: AT + 1 }, "user")).toMatchObject([
        { group: "ann", requests: 1, cost: 9n },
      ])
      expect(await reports.sumUsage({ from: AT, to: AT + 1 }, "endpoint")).toMatchObject([
        { group: "/v1/messages", requests: 1, errors: 0, cost: 9n },
      ])
    })
  })

  describe("totals in usage reports", () => {
    test("can be grouped by endpoint and include the cost before the multiplier", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add(
        { request: "req_1", at: AT, endpoint: "/v1/messages", rate: "2.5" },
        { request: "req_2", at: AT + 1, endpoint: "/v1/messages", rate: "2.5", multiplier: "1.2" },
        { request: "req_3", at: AT + 2, endpoint: "/v1/rerank", rate: "x", multiplier: "2" },
      )
      const reports = await own.reports.upToDate()
      const span = { from: AT, to: AT + HOUR }
      expect(await reports.sumUsage(span, "endpoint")).toMatchObject([
        { group: "/v1/messages", requests: 2, providerCost: 500_000_000n + 25_000n },
        { group: "/v1/rerank", requests: 1, providerCost: 0n },
      ])
      expect(await reports.sumUsage({ ...span, endpoint: "/v1/rerank" }, "model")).toHaveLength(1)
      expect(
        await reports.sumUsage({ ...span, provider: "sim", outcome: "ok" }, "all"),
      ).toHaveLength(1)
      expect(await reports.sumUsage({ ...span, outcome: "expired" }, "all")).toEqual([])
      expect(await found(own, { endpoint: "/v1/rerank" })).toEqual(["req_3"])
    })

    test("can be grouped and filtered by price group, as lists can", async () => {
      await using own = await ReportedEngine.on(engine)
      const partner = { rate: "2.5", multiplier: "1.2", priceGroup: "partners" }
      await own.add(
        { request: "req_1", at: AT, ...partner },
        { request: "req_2", at: AT + 1, ...partner, account: "b", model: "sim/other" },
        { request: "req_3", at: AT + 2, rate: "2.5", multiplier: "1.2", priceGroup: "resale" },
        { request: "req_4", at: AT + HOUR, rate: "2.5", multiplier: "1.2" },
      )
      const reports = await own.reports.upToDate()
      const span = { from: AT, to: AT + 2 * HOUR }
      const cost = 10n
      expect(await reports.sumUsage(span, "price_group")).toMatchObject([
        { group: "partners", requests: 2, cost: 2n * cost, providerCost: 50_000n },
        { group: "", requests: 1, cost, providerCost: 25_000n },
        { group: "resale", requests: 1, cost, providerCost: 25_000n },
      ])
      const partners = { ...span, price_group: "partners" }
      expect(await reports.sumUsage(partners, "model")).toHaveLength(2)
      expect(await reports.sumUsage({ ...partners, accounts: ["b"] }, "all")).toMatchObject([
        { requests: 1, cost },
      ])
      expect(await reports.sumUsage({ ...partners, to: AT + 9 * 24 * HOUR }, "hour")).toMatchObject(
        [{ requests: 2, cost: 2n * cost }],
      )
      const series = { group: "price_group", names: ["resale"], step: "day" } as const
      const points = await reports.usageSeries(span, series)
      expect(points.map(({ group, requests }) => [group, requests])).toEqual([
        ["", 3],
        ["resale", 1],
      ])
      expect(await found(own, { price_group: "partners" })).toEqual(["req_2", "req_1"])
      expect(await found(own, { price_group: "resale", accounts: ["a"] })).toEqual(["req_3"])
      expect(await found(own, { price_group: "nobody" })).toEqual([])
      const [first] = await reports.list({ price_group: "resale" }, null, 1)
      expect(first?.priceGroup).toBe("resale")
    })

    test("can list some names separately over time and combine all other names", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add(
        { request: "req_1", at: AT, model: "x/one" },
        { request: "req_2", at: AT, model: "x/two" },
        { request: "req_3", at: AT, model: "x/three" },
        { request: "req_4", at: AT + 24 * HOUR, model: "x/one" },
      )
      const reports = await own.reports.upToDate()
      const span = { from: AT - 48 * HOUR, to: AT + 48 * HOUR }
      const series = { group: "model", names: ["x/one"], step: "day" } as const
      const points = await reports.usageSeries(span, series)
      const day = Date.UTC(2026, 2, 2)
      expect(points.map(({ at, group, requests }) => [at, group, requests])).toEqual([
        [day, "", 2],
        [day, "x/one", 1],
        [day + 24 * HOUR, "x/one", 1],
      ])
      const all = await reports.usageSeries(span, { group: "all", names: [], step: "hour" })
      expect(all.map(({ at, requests }) => [at, requests])).toEqual([
        [AT - HOUR / 2, 3],
        [AT + 23.5 * HOUR, 1],
      ])
    })

    test("include the groups of each request for latencies", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add(
        ...Array.from({ length: 130 }, (_, index) => ({
          request: `req_${String(index).padStart(3, "0")}`,
          at: AT + index,
          duration: index,
          key: keyOf(index),
        })),
        {
          request: "req_x",
          at: AT + HOUR,
          cost: 0n,
          status: "released",
          outcomes: ["upstream_error"],
        },
      )
      const reports = await own.reports.upToDate()
      const span = { from: AT, to: AT + 200 }
      const names = ["key_b", "second", "nobody", "key_a"]
      const sample = await reports.sampleResponses(span, "key", names)
      expect(sample.isComplete).toBe(true)
      expect([...sample.duration].toSorted((left, right) => left - right)).toEqual(
        Array.from({ length: 130 }, (_, index) => index),
      )
      const keys = [...sample.entries.names].map((name) => names[name])
      expect(keys).toEqual([...sample.at].map((at) => keyOf(at - AT)))
      const ofKey = await reports.sampleResponses(
        { ...span, key: "second", accounts: ["a"] },
        "account",
        ["a"],
      )
      expect(ofKey.at.length).toBeGreaterThan(5)
      expect(new Set(ofKey.entries.names)).toEqual(new Set([0]))
      const nowhere = await reports.sampleResponses({ ...span, key: "nowhere" }, "all", [])
      expect(nowhere.at).toHaveLength(0)
    })
  })
}
