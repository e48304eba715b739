import { describe, expect, test } from "bun:test"
import type { RateOrder } from "../../../src/store/rate-limits.ts"
import { TestDatabase } from "../test-database.ts"
import type { Engine } from "../engines.ts"

/** A limit so low that almost no requests become available during a test. */
const LIMIT = 10

function order(needed: number, more: Partial<RateOrder> = {}): RateOrder {
  const first = needed
  return { key: "k", unit: "requests", limit: LIMIT, used: 0, first, needed, ahead: 0, ...more }
}

/** Tests that an engine fulfills this contract. */
export function rateLimitContract(engine: Engine): void {
  describe("the rate limit of a key", () => {
    test("grants leases to all nodes until it is used up, separately for requests and tokens", async () => {
      await using database = await TestDatabase.on(engine)
      const { rateLimits } = database.store
      const other = await database.another()
      const lease = async (wanted: RateOrder, store = rateLimits) =>
        (await store.lease([wanted], 2))[0]?.granted
      expect(await lease(order(6))).toBe(6)
      expect(await lease(order(6), other.rateLimits)).toBe(0)
      // If the first request fits, the remaining requests are leased.
      expect(await lease(order(6, { first: 1 }), other.rateLimits)).toBeCloseTo(4, 0)
      expect(await lease(order(1))).toBe(0)
      expect(await lease(order(10, { unit: "tokens" }))).toBe(10)
      expect(await lease(order(10, { key: "other" }))).toBe(10)
    })

    test("becomes available again at its rate, measured by the database's clock", async () => {
      await using database = await TestDatabase.on(engine)
      const { rateLimits } = database.store
      const fast = { limit: 600_000 }
      const begun = performance.now()
      const [grant] = await rateLimits.lease([order(600_000, fast)], 1)
      expect(grant).toEqual({ granted: 600_000, level: 600_000 })
      // From the moment of the lease, ten requests become available per millisecond.
      let granted = 0
      while (granted === 0) {
        const [next] = await rateLimits.lease([order(100, fast)], 1)
        granted = next?.granted ?? 0
      }
      expect(performance.now() - begun).toBeGreaterThan(7)
    })

    test("grants a larger lease only if as much remains for each other node", async () => {
      await using database = await TestDatabase.on(engine)
      const { rateLimits } = database.store
      const [some] = await rateLimits.lease([order(2, { ahead: 100 })], 4)
      expect(some).toEqual({ granted: 4, level: 4 })
      const [few] = await rateLimits.lease([order(0, { ahead: 0.5 })], 4)
      expect(few?.granted).toBe(0.5)
    })

    test("accepts returned leases, and counts usage without a lease", async () => {
      await using database = await TestDatabase.on(engine)
      const { rateLimits } = database.store
      await rateLimits.lease([order(10)], 1)
      const [back] = await rateLimits.lease([order(0, { used: -7 })], 1)
      expect(back?.level).toBeCloseTo(3, 1)
      expect((await rateLimits.lease([order(0, { used: -100 })], 1))[0]?.level).toBe(0)
      const [debt] = await rateLimits.lease([order(1, { used: 25 })], 1)
      expect(debt).toEqual({ granted: 0, level: 25 })
      const [capped] = await rateLimits.lease([order(1, { used: 1_000_000 })], 1)
      expect(capped?.granted).toBe(0)
    })

    test("admits a request above the limit if nothing is in use", async () => {
      await using database = await TestDatabase.on(engine)
      const { rateLimits } = database.store
      const large = order(25, { unit: "tokens" })
      expect((await rateLimits.lease([large], 2))[0]).toEqual({ granted: 25, level: 25 })
      expect((await rateLimits.lease([large], 2))[0]?.granted).toBe(0)
      expect((await rateLimits.lease([order(1, { unit: "tokens" })], 2))[0]?.granted).toBe(0)
    })

    test("keeps the current usage when it is changed", async () => {
      await using database = await TestDatabase.on(engine)
      const { rateLimits } = database.store
      await rateLimits.lease([order(8)], 1)
      expect((await rateLimits.lease([order(1, { limit: 4 })], 1))[0]?.granted).toBe(0)
      const [more] = await rateLimits.lease([order(10, { limit: 20, first: 1 })], 1)
      expect(more?.granted).toBeWithin(9, 12.5)
    })

    test("grants leases for many keys in one step, in the given order", async () => {
      await using database = await TestDatabase.on(engine)
      const { rateLimits } = database.store
      const orders = Array.from({ length: 300 }, (_, index) =>
        order((index * 7) % 11, { key: `k${(index * 7) % 300}` }),
      )
      const granted = (await rateLimits.lease(orders, 2)).map((grant) => grant.granted)
      expect(granted).toEqual(orders.map(({ needed }) => (needed > LIMIT ? 0 : needed)))
      expect(await rateLimits.lease([], 2)).toEqual([])
    })

    test("applies to nodes that lease simultaneously", async () => {
      await using database = await TestDatabase.on(engine)
      const stores = [database.store, await database.another(), await database.another()]
      const keys = ["a", "b", "c"]
      await database.store.rateLimits.lease(
        keys.map((key) => order(0, { key, limit: 100 })),
        3,
      )
      const sums = new Map<string, number>()
      await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const mixed = index % 2 === 0 ? keys : keys.toReversed()
          const orders = mixed.map((key) => order(4, { key, limit: 100, first: 1 }))
          const grants = await stores[index % 3]?.rateLimits.lease(orders, 3)
          for (const [at, key] of mixed.entries()) {
            sums.set(key, (sums.get(key) ?? 0) + (grants?.[at]?.granted ?? 0))
          }
        }),
      )
      // The sum is the limit, and the amount that has become available in the meantime.
      for (const key of keys) expect(sums.get(key)).toBeWithin(100, 108)
    })
  })
}
