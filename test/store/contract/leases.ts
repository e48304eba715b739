import { describe, expect, test } from "bun:test"
import { until } from "../../support/until.ts"
import { Book, payerOf } from "../book.ts"
import type { Engine } from "../engines.ts"

/** Held by every engine. */
export function leaseContract(engine: Engine): void {
  describe("what is recalled", () => {
    test("is not leased again while it is to be taken out", async () => {
      await using book = await Book.on(engine)
      const payer = await book.account("a", 100n)
      const ledger = await book.ledger("node")
      await ledger.lease(payer, 10n)
      expect(ledger.available(payer)).toBe(100n)
      expect(await book.store.leases.recall("a", 60n)).toBe(0n)
      const { recalls } = await book.store.nodes.poll("node", null)
      expect(recalls).toEqual(["a"])
      await ledger.tick(recalls)
      expect(await book.store.leases.recall("a", 60n)).toBe(100n)
      expect(await ledger.lease(payer, 41n)).toBeUndefined()
      expect(await ledger.lease(payer, 40n)).toBe(true)
      await book.store.leases.endRecall("a")
      expect(await ledger.lease(payer, 100n)).toBe(true)
    })

    test("can be leased again when no one has asked for half a second", async () => {
      await using book = await Book.on(engine)
      const payer = payerOf("a")
      await book.account("a", 100n)
      await book.store.leases.recall("a", 60n)
      const ledger = await book.ledger("node")
      expect(await ledger.lease(payer, 100n)).toBeUndefined()
      await until(async () => (await ledger.lease(payer, 100n)) === true)
    })
  })
}
