import { describe, expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { Book } from "../book.ts"
import { type Engine, refusalOf } from "../engines.ts"

/** Held by every engine. */
export function accountContract(engine: Engine): void {
  describe("an account", () => {
    test("changes its name and what is kept of it, each alone", async () => {
      await using book = await Book.on(engine)
      await book.account("a", 7n)
      expect(await book.store.accounts.update("a", { name: "new" }, AUDIT)).toMatchObject({
        name: "new",
        storesContent: false,
        balance: 7n,
      })
      await book.store.accounts.update("a", { storesContent: true }, AUDIT)
      expect(await book.store.accounts.find("new")).toMatchObject({ id: "a", storesContent: true })
    })

    test("takes no name that another has, and there has to be one", async () => {
      await using book = await Book.on(engine)
      await book.account("a", 0n)
      await book.account("b", 0n)
      const taken = book.store.accounts.update("a", { name: "name of b" }, AUDIT)
      expect(await refusalOf(taken)).toBe("exists")
      expect(await book.store.accounts.update("a", { name: "name of a" }, AUDIT)).toMatchObject({
        id: "a",
      })
      expect(await refusalOf(book.store.accounts.update("x", {}, AUDIT))).toBe("not_found")
    })

    test("never holds more than the ledger can count", async () => {
      await using book = await Book.on(engine)
      await book.account("a", 2n ** 63n - 1n)
      expect(await refusalOf(book.grant("a", 1n))).toBe("too_much")
      expect(await book.balanceOf("a")).toBe(2n ** 63n - 1n)
    })
  })
}
