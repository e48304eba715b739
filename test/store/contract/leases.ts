import { describe, expect, test } from "bun:test"
import { until } from "../../support/until.ts"
import { TestDatabase, payerOf } from "../test-database.ts"
import type { Engine } from "../engines.ts"

/** Tests that an engine fulfills this contract. */
export function leaseContract(engine: Engine): void {
  describe("recalled credits", () => {
    test("cannot be leased again before the recall ends", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      const ledger = await database.ledger("node")
      await ledger.lease(payer, 10n)
      expect(ledger.available(payer)).toBe(100n)
      expect(await database.store.leases.recall("a", 60n)).toBe(0n)
      const { recalls } = await database.store.nodes.poll("node", null)
      expect(recalls).toEqual(["a"])
      await ledger.tick(recalls)
      expect(await database.store.leases.recall("a", 60n)).toBe(100n)
      expect(await ledger.lease(payer, 41n)).toBeUndefined()
      expect(await ledger.lease(payer, 40n)).toBe(true)
      await database.store.leases.endRecall("a")
      expect(await ledger.lease(payer, 100n)).toBe(true)
    })

    test("can be leased again if the recall is not repeated for half a second", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = payerOf("a")
      await database.account("a", 100n)
      await database.store.leases.recall("a", 60n)
      const ledger = await database.ledger("node")
      expect(await ledger.lease(payer, 100n)).toBeUndefined()
      await until(async () => (await ledger.lease(payer, 100n)) === true)
    })
  })
}
