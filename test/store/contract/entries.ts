import { describe, expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import type { Engine } from "../engines.ts"

const DAY = 24 * 60 * 60 * 1_000

/** Tests that an engine fulfills this contract. */
export function entryContract(engine: Engine): void {
  describe("ledger entries", () => {
    test("can be listed newest first, all together or by kind", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      const ledger = await database.ledger("node")
      for (const cost of [1n, 2n]) {
        await ledger.lease(payer, 5n)
        await ledger.settle(ledger.tryHold(database.order(payer, 5n))!, cost, () => "{}")
        await database.grant("a", 1n)
      }
      const numbers = async (...order: Parameters<typeof database.store.entries.listBack>) =>
        (await database.store.entries.listBack(...order)).map(({ number }) => number)
      expect(await numbers("a", null, 3, null)).toEqual([5, 4, 3])
      expect(await numbers("a", 3, 3, null)).toEqual([2, 1])
      expect(await numbers("a", null, 9, "charge")).toEqual([4, 2])
      expect(await numbers("a", 4, 9, "charge")).toEqual([2])
      expect(await numbers("b", null, 9, null)).toEqual([])
    })

    test("can be listed by period, even if charges are stored at the end of their requests", async () => {
      await using database = await TestDatabase.on(engine)
      await database.account("a", 0n)
      const times = [10, 12, 11.5, 12, 14, 13.1, 14, 15, 15, 16].map((day) => day * DAY)
      for (const at of times) {
        const entry = { account: "a", kind: "grant" as const, amount: 1n, at }
        await database.store.entries.add({ ...entry, note: null, author: null }, AUDIT)
      }
      for (let from = 9 * DAY; from < 18 * DAY; from += DAY / 2) {
        for (const length of [0, DAY / 2, 3 * DAY]) {
          const until = from + length
          const { after, last } = await database.store.entries.findRange("a", from, until)
          times.forEach((at, index) => {
            const number = index + 1
            if (number <= after) expect(at).toBeLessThan(from)
            if (number > last) expect(at).toBeGreaterThanOrEqual(until)
          })
        }
      }
      expect(await database.store.entries.findRange("nobody", 0, DAY)).toEqual({
        after: 0,
        last: 0,
      })
    })

    test("include the key and the model of each charge for statements", async () => {
      await using database = await TestDatabase.on(engine)
      const payer = await database.account("a", 100n)
      const ledger = await database.ledger("node")
      await ledger.lease(payer, 5n)
      const order = database.order(payer, 5n)
      await ledger.settle(ledger.tryHold(order)!, 3n, () => '{"model":"sim/echo"}')
      expect(await database.store.entries.listStatementLines("a", 0, 9)).toMatchObject([
        { number: 1, kind: "grant", key: null, model: null },
        { number: 2, kind: "charge", key: "key", model: "sim/echo", request: order.request },
      ])
    })
  })
}
