import { expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { Book } from "../book.ts"
import { type Engine, refusalOf } from "../engines.ts"

/** Held by every engine. */
export function paymentContract(engine: Engine): void {
  test("a payment that is reported again is one entry", async () => {
    await using book = await Book.on(engine)
    await book.account("a", 0n)
    await book.account("b", 0n)
    const payment = { id: "pay_1", account: "a", amount: 9n, at: 3, note: "card" }
    const entry = await book.store.payments.add(payment, AUDIT)
    expect(entry).toMatchObject({ kind: "payment", amount: 9n, note: "card", number: 1 })
    const again = [payment, { ...payment, account: "b", at: 8 }]
    for (const told of again) {
      expect(await refusalOf(book.store.payments.add(told, AUDIT))).toBe("exists")
    }
    await book.store.payments.add({ ...payment, id: "pay_2" }, AUDIT)
    expect([await book.balanceOf("a"), await book.balanceOf("b")]).toEqual([18n, 0n])
  })

  test("a payment that is reported again leaves no line in the audit log", async () => {
    await using book = await Book.on(engine)
    await book.account("a", 0n)
    const payment = { id: "pay_1", account: "a", amount: 9n, at: 3, note: "card" }
    const record = {
      at: 3,
      actorKind: "command" as const,
      actorId: null,
      actorName: "stripe",
      action: "account.payment",
      account: "a",
      target: "pay_1",
      before: null,
      after: null,
      address: null,
    }
    await book.store.payments.add(payment, record)
    const again = book.store.payments.add(payment, record)
    expect(await refusalOf(again)).toBe("exists")
    expect(await book.store.audit.list({ actor: "stripe" }, null, 10)).toHaveLength(1)
    expect(await book.balanceOf("a")).toBe(9n)
  })
}
