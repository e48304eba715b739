import { describe, expect, test } from "bun:test"
import {
  MAX_QUANTITY,
  MAX_REPORTED_AMOUNT,
  MAX_STORED_AMOUNT,
} from "../../src/accounting/maxima.ts"
import type { UsageFilter, UsageGroup } from "../../src/store/requests.ts"
import { ENGINES } from "./engines.ts"
import { ReportedEngine, type ReportedRequest } from "./reported-requests.ts"

const HOUR = 3_600_000
const AT = Math.floor(Date.now() / HOUR) * HOUR
const DAY = 24 * HOUR
const FILTER: UsageFilter = { from: AT - 3 * DAY, to: AT + HOUR }
const GROUPS: readonly UsageGroup[] = ["all", "hour", "day", "model", "account", "key", "user"]
/** An amount of more than half of the maximum value of a column. */
const HUGE = 5_000_000_000_000_000_000n

/** Returns the sums of a group, and checks that all tables give the same sums. */
async function sumsOf({ reports }: ReportedEngine, group: UsageGroup, filter = FILTER) {
  const sums = await (await reports.upToDate()).sumUsage(filter, group)
  const add = (left: bigint, right: bigint): bigint => left + right
  return {
    cost: sums.map(({ cost }) => cost).reduce(add, 0n),
    writtenOff: sums.map(({ writtenOff }) => writtenOff).reduce(add, 0n),
    providerCost: sums.map(({ providerCost }) => providerCost).reduce(add, 0n),
    input: sums.reduce((sum, { input }) => sum + input, 0),
  }
}

/** Parts of a receipt with numbers that a provider may have reported to an older version. */
const ABSURD: Pick<ReportedRequest, "usage" | "duration" | "firstByte"> = {
  usage: { input: 2 ** 64, output: 1e308, cached_input: 1e15 },
  duration: 1e300,
  firstByte: 2 ** 63,
}

for (const engine of ENGINES) {
  describe(`a ledger on ${engine.name}`, () => {
    test("adds up charges of more than 64 bits exactly", async () => {
      await using own = await ReportedEngine.on(engine)
      const accounts = ["c", "d", "e"]
      for (const [day, account] of accounts.entries()) {
        await own.database.account(account, HUGE)
        await own.database.key(`key_${account}`, account, null)
        // A row with the sums of one day can contain only one of these amounts.
        await own.add({
          request: `req_${account}`,
          account,
          at: AT - day * DAY,
          cost: HUGE - 1n,
          labels: { user: "u" },
        })
      }
      for (const group of GROUPS) {
        expect({ group, ...(await sumsOf(own, group)) }).toMatchObject({
          group,
          cost: 3n * (HUGE - 1n),
        })
      }
      const reports = await own.reports.upToDate()
      for (const step of ["hour", "day"] as const) {
        const points = await reports.usageSeries(FILTER, { group: "model", names: [], step })
        expect(points.map(({ cost }) => cost)).toEqual(accounts.map(() => HUGE - 1n))
      }
      const uses = await reports.accountUses({ accounts, from: 0, recentFrom: 0 })
      expect(uses.map(({ spent, recentlySpent }) => [spent, recentlySpent])).toEqual(
        accounts.map(() => [HUGE - 1n, HUGE - 1n]),
      )
      expect(await reports.list({}, null, 10, "most_expensive")).toHaveLength(3)
    })

    test("sorts groups correctly if their totals differ by one nanocredit", async () => {
      await using own = await ReportedEngine.on(engine)
      for (const [account, cost] of [
        ["c", HUGE - 1n],
        ["d", HUGE],
        ["e", HUGE - 2n],
      ] as const) {
        await own.database.account(account, HUGE)
        await own.add({ request: `req_${account}`, account, at: AT, cost })
      }
      const reports = await own.reports.upToDate()
      const sums = await reports.sumUsage(FILTER, "account", { order: "cost", count: 3 })
      expect(sums.map(({ group }) => group)).toEqual(["d", "c", "e"])
    })

    test("posts a charge even if the hourly and daily totals have reached the maximum of their columns", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.database.account("c", HUGE)
      await own.database.key("key_c", "c", null)
      for (const request of ["first", "second", "third"]) {
        await own.add({ request, account: "c", at: AT, cost: HUGE - 1n })
        await own.database.grant("c", HUGE - 1n)
      }
      await own.add({ request: "fourth", account: "c", at: AT, cost: 1n })
      const hour = { from: AT, to: AT + HOUR }
      expect((await sumsOf(own, "account", hour)).cost).toBe(MAX_STORED_AMOUNT)
      const [use] = await (await own.reports.upToDate()).keyUses(["key_c"])
      expect(use).toMatchObject({ spent: MAX_STORED_AMOUNT, requests: 4 })
    })

    test("reads receipts that contain out-of-range numbers", async () => {
      await using own = await ReportedEngine.on(engine)
      const count = 12
      for (let index = 0; index < count; index++) {
        await own.add({
          request: `req_${index}`,
          at: AT,
          labels: { user: "u", tags: { a: "b" } },
          rate: "45035996273.704955",
          multiplier: "2",
          writtenOff: [
            { amount: HUGE, reason: "usage_beyond_bound" },
            { amount: HUGE, reason: "late" },
          ],
          ...ABSURD,
        })
      }
      for (const group of GROUPS) {
        const sums = await sumsOf(own, group)
        expect(sums.cost).toBe(10n * BigInt(count))
        expect(sums.input).toBe(MAX_QUANTITY * count)
        expect(sums.writtenOff).toBe(MAX_REPORTED_AMOUNT * BigInt(count))
        expect(sums.providerCost).toBeLessThanOrEqual(MAX_REPORTED_AMOUNT * BigInt(count))
      }
      const reports = await own.reports.upToDate()
      expect(await reports.list({ writtenOff: true }, null, 100, "slowest")).toHaveLength(count)
      expect(await reports.count([{ from: AT, to: AT + HOUR }], HOUR)).toHaveLength(1)
      await reports.sampleResponses(FILTER, "model", ["sim/echo"])
      await reports.latencies(undefined, 0)
      await reports.accountUses({ from: 0, recentFrom: 0 })
    })
  })
}
