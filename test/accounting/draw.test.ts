import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { draw, type OwnerShare } from "../../src/accounting/draw.ts"

function share(lease: bigint, free: bigint): OwnerShare {
  return { posted: lease + free, free, lease, spent: 0n, fromLease: 0n }
}

test("a charge is taken from the lease first, then from unleased credits", () => {
  const account = share(10n, 5n)
  const budget = share(12n, 0n)
  expect(draw({ request: "req", amount: 12n }, account, [budget], false)).toEqual({
    request: "req",
    charged: 12n,
    fromLease: 10n,
    fromBudgetLeases: [12n],
    balance: 3n,
    late: false,
  })
  expect(account).toEqual({ posted: 3n, free: 3n, lease: 0n, spent: 12n, fromLease: 10n })
})

test("a charge never exceeds the credits of any of its owners, and is the same for each owner", () => {
  const amounts = fc.bigInt({ min: 0n, max: 1_000n })
  const shares = fc.tuple(amounts, amounts)
  fc.assert(
    fc.property(amounts, shares, fc.array(shares, { maxLength: 3 }), (amount, own, others) => {
      const account = share(...own)
      const budgets = others.map((each) => share(...each))
      const drawn = draw({ request: "req", amount }, account, budgets, false)
      const covers = [own, ...others].map(([lease, free]) => lease + free)
      const expected = [amount, ...covers].reduce((min, each) => (each < min ? each : min))
      expect(drawn.charged).toBe(expected)
      for (const each of [account, ...budgets]) {
        expect(each.spent).toBe(expected)
        expect(each.lease).toBeGreaterThanOrEqual(0n)
        expect(each.free).toBeGreaterThanOrEqual(0n)
        expect(each.posted).toBe(each.lease + each.free)
      }
    }),
  )
})
