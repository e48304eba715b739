import { expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import { type Engine, rejectionOf } from "../engines.ts"

/** Tests that an engine fulfills this contract. */
export function paymentContract(engine: Engine): void {
  test("a payment that is reported twice creates one entry", async () => {
    await using database = await TestDatabase.on(engine)
    await database.account("a", 0n)
    await database.account("b", 0n)
    const payment = { id: "pay_1", account: "a", amount: 9n, at: 3, note: "card" }
    const entry = await database.store.payments.add(payment, AUDIT)
    expect(entry).toMatchObject({ kind: "payment", amount: 9n, note: "card", number: 1 })
    const again = [payment, { ...payment, account: "b", at: 8 }]
    for (const told of again) {
      expect(await rejectionOf(database.store.payments.add(told, AUDIT))).toBe("exists")
    }
    await database.store.payments.add({ ...payment, id: "pay_2" }, AUDIT)
    expect([await database.balanceOf("a"), await database.balanceOf("b")]).toEqual([18n, 0n])
  })

  test("the amounts paid for an account's entries are listed by entry", async () => {
    await using database = await TestDatabase.on(engine)
    const { payments } = database.store
    for (const account of ["a", "b"]) await database.account(account, 0n)
    const pay = (id: string, account: string, units?: bigint) =>
      payments.add(
        {
          id,
          account,
          amount: 9n,
          at: 3,
          note: null,
          ...(units !== undefined && { card: { intent: `pi_${id}`, units, currency: "eur" } }),
        },
        AUDIT,
      )
    await pay("one", "a", 2_500n)
    await pay("two", "a")
    await pay("three", "b", 700n)
    await pay("four", "a", 1n)
    expect(await payments.listPaidAmounts("a", 1, 3)).toEqual([
      { entry: 1, units: 2_500n, currency: "eur" },
      { entry: 3, units: 1n, currency: "eur" },
    ])
    expect(await payments.listPaidAmounts("a", 2, 3)).toEqual([
      { entry: 3, units: 1n, currency: "eur" },
    ])
    expect(await payments.listPaidAmounts("c", 1, 3)).toEqual([])
  })

  test("a payment that is reported twice creates no second audit record", async () => {
    await using database = await TestDatabase.on(engine)
    await database.account("a", 0n)
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
    await database.store.payments.add(payment, record)
    const again = database.store.payments.add(payment, record)
    expect(await rejectionOf(again)).toBe("exists")
    expect(await database.store.audit.list({ actor: "stripe" }, null, 10)).toHaveLength(1)
    expect(await database.balanceOf("a")).toBe(9n)
  })
}
