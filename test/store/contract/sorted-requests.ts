import { describe, expect, test } from "bun:test"
import {
  placeAfter,
  type RequestFilter,
  type RequestPlace,
  type RequestRecord,
} from "../../../src/store/requests.ts"
import type { Engine } from "../engines.ts"
import { found, ReportedEngine } from "../reported-requests.ts"

const HOUR = 3_600_000
/** 2026-03-02, 10:30 UTC. */
const AT = Date.UTC(2026, 2, 2, 10, 30)

/** Tests that an engine fulfills this contract. */
export function sortedRequestContract(engine: Engine): void {
  describe("the sorted request list", () => {
    test("supports sorting and filtering by cost and duration", async () => {
      await using own = await ReportedEngine.on(engine)
      const all = Array.from({ length: 23 }, (_, index) => ({
        request: `req_${index}`,
        account: index % 3 === 0 ? "b" : "a",
        at: AT + (index % 4),
        cost: BigInt(index % 5),
        duration: (index % 6) * 100,
        labels: index % 2 === 0 ? { session: "even" } : {},
      }))
      await own.add(...all, { request: "gone", at: AT, cost: 0n, status: "expired", outcomes: [] })
      const reports = await own.reports.upToDate()
      const session = { name: "session", value: "even" } as const
      const filters = [{}, { accounts: ["a", "b"] }, { model: "sim/*" }, { labels: [session] }]
      for (const filter of filters)
        for (const order of ["most_expensive", "slowest"] as const) {
          const seen: number[] = []
          const names = new Set<string>()
          for (let place: RequestPlace | null = null; ;) {
            const page: RequestRecord[] = await reports.list(filter, place, 5, order)
            for (const { request, cost, duration } of page) {
              names.add(request)
              seen.push(order === "most_expensive" ? Number(cost) : (duration ?? -1))
            }
            const last = page.at(-1)
            if (!last) break
            place = placeAfter(last, order)
          }
          expect([names.size, seen.length]).toEqual("labels" in filter ? [12, 12] : [24, 24])
          expect(seen).toEqual(seen.toSorted((left, right) => right - left))
        }
      const count = async (filter: RequestFilter) => (await found(own, filter)).length
      expect(await count({ minimumCost: 3n })).toBe(8)
      expect(await count({ minimumCost: 1n, maximumCost: 2n, accounts: ["a", "b"] })).toBe(10)
      expect(await count({ maximumDuration: 0 })).toBe(4)
      expect(await count({ minimumDuration: 500, model: "sim/echo", provider: "sim" })).toBe(3)
    })

    test("supports filters by a rare provider or endpoint, and by an id prefix", async () => {
      await using own = await ReportedEngine.on(engine)
      const hours = Array.from({ length: 6 }, (_, hour) => hour)
      await own.add(
        ...hours.flatMap((hour) => [
          {
            request: `req_aa${hour}`,
            at: AT + hour * HOUR,
            model: "rare/echo",
            endpoint: "/v1/rerank",
          },
          { request: `req_bb${hour}`, at: AT + hour * HOUR + 1, account: "b" },
        ]),
      )
      const rare = hours.map((hour) => `req_aa${hour}`).toReversed()
      expect(await found(own, { provider: "rare" })).toEqual(rare)
      expect(await found(own, { endpoint: "/v1/rerank" })).toEqual(rare)
      expect(await found(own, { search: "req_aa" })).toEqual(rare)
      expect(await found(own, { search: "req_aa3" })).toEqual(["req_aa3"])
      expect(await found(own, { search: "req_aa", accounts: ["b"] })).toEqual([])
      expect(await found(own, { search: "req_cc" })).toEqual([])
      expect(await found(own, { provider: "nobody" })).toEqual([])
      expect(
        await found(own, { provider: "rare", from: AT + HOUR, to: AT + 3 * HOUR + 1 }),
      ).toEqual(["req_aa3", "req_aa2", "req_aa1"])
      const reports = await own.reports.upToDate()
      const [first, second] = await reports.list({ provider: "rare" }, null, 2)
      expect(second?.request).toBe("req_aa4")
      if (!first || !second) throw new Error("two requests are there")
      const next = await reports.list({ provider: "rare" }, second, 2)
      expect(next.map(({ request }) => request)).toEqual(["req_aa3", "req_aa2"])
    })

    test("reports the age of the oldest sorted requests", async () => {
      await using own = await ReportedEngine.on(engine)
      const all = Array.from({ length: 9 }, (_, index) => ({
        request: `req_${index}`,
        account: index % 3 === 0 ? "b" : "a",
        at: AT + index,
        labels: { session: "one" },
      }))
      await own.add(...all)
      const reports = await own.reports.upToDate()
      const labels = [{ name: "session", value: "one" }] as const
      const cases: [RequestFilter, RequestPlace | null, number, number | null][] = [
        [{}, null, 9, null],
        [{}, null, 8, AT],
        [{}, { at: AT + 4, row: 0 }, 2, AT + 2],
        [{ from: AT + 3 }, null, 8, null],
        [{ to: AT + 3 }, null, 1, AT + 1],
        [{ accounts: ["b"] }, null, 1, AT + 3],
        [{ accounts: ["a", "b"] }, null, 4, AT + 5],
        [{ accounts: [] }, null, 4, null],
        [{ labels }, null, 3, AT + 5],
        [{ labels: [{ name: "session", value: "other" }] }, null, 3, null],
      ]
      for (const [filter, before, count, at] of cases)
        expect([filter, await reports.reach(filter, before, count)]).toEqual([filter, at])
    })

    test("has counts over time for every filter", async () => {
      await using own = await ReportedEngine.on(engine)
      const MINUTE = 60_000
      const labels = { session: "one" }
      await own.add(
        { request: "req_1", at: AT, cost: 5n, labels },
        { request: "req_2", at: AT + 1, outcomes: ["upstream_error"], account: "b", labels },
        { request: "req_3", at: AT + MINUTE, model: "other/one", cost: 1n },
      )
      const reports = await own.reports.upToDate()
      const first = { at: AT, answered: 1, failed: 1 }
      const second = { at: AT + MINUTE, answered: 1, failed: 0 }
      const cases: [RequestFilter, object[]][] = [
        [{}, [first, second]],
        [{ accounts: ["a", "b"] }, [first, second]],
        [{ accounts: [] }, []],
        [{ accounts: ["a"] }, [{ ...first, failed: 0 }, second]],
        [{ model: "o*" }, [second]],
        [{ labels: [{ name: "session", value: "one" }] }, [first]],
        [{ maximumCost: 1n }, [second]],
        [{ search: "upstream" }, [{ ...first, answered: 0 }]],
        [{ from: AT + 1 }, [{ ...first, answered: 0 }, second]],
      ]
      for (const [filter, expected] of cases) {
        const counts = await reports.count([filter], MINUTE)
        const inOrder = counts.toSorted((left, right) => left.at - right.at)
        expect([filter, inOrder]).toEqual([filter, expected] as never)
      }
    })
  })
}
