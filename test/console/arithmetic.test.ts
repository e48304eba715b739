import { expect, test } from "bun:test"
import { workCharge } from "../../console/src/format/arithmetic.ts"
import { uncostedUsage } from "../../console/src/format/uncosted-usage.ts"
import { formatCredits, parseCredits } from "../../src/ledger/money.ts"

test("each step of the arithmetic of a charge is exact", () => {
  const worked = workCharge(
    [
      { class: "input", quantity: 120, per_million: "0.15" },
      { class: "output", quantity: 7, per_million: "0.6" },
    ],
    "1.2",
  )
  expect(worked.lines.map(({ amount }) => amount)).toEqual(["0.000018", "0.0000042"])
  expect(worked.sum).toBe("0.0000222")
  expect(worked.product).toBe("0.00002664")
  expect(worked.rounded).toBe("0.00002664")
})

test("the arithmetic of a charge rounds up to the nanocredit, like the ledger", () => {
  const worked = workCharge([{ class: "input", quantity: 1, per_million: "0.0333" }], "1")
  expect(worked.product).toBe("0.0000000333")
  expect(worked.rounded).toBe("0.000000034")
  expect(formatCredits(parseCredits(worked.rounded))).toBe(worked.rounded)
})

test("quantities of a charge can be fractions, even those that JavaScript writes with an exponent", () => {
  expect(workCharge([{ class: "second", quantity: 12.34, per_million: "100" }], "1").sum).toBe(
    "0.001234",
  )
  expect(workCharge([{ class: "second", quantity: 1e-7, per_million: "1000000" }], "1").sum).toBe(
    "0.0000001",
  )
})

test("an empty charge is zero", () => {
  expect(workCharge([], "1.5")).toEqual({ lines: [], sum: "0", product: "0", rounded: "0" })
})

test("the list of usage without a cost omits the classes that were charged", () => {
  const line = (name: string, quantity: number) => ({ class: name, quantity, per_million: "1" })
  const usage = { input: 10, output: 5, seconds: 2 }
  const arithmetic = [line("input", 10), line("output", 5), line("seconds", 10)]
  expect(uncostedUsage({ usage, arithmetic })).toEqual([["seconds", 2]])
  expect(uncostedUsage({ usage: { input: 10 }, arithmetic })).toEqual([])
  expect(uncostedUsage({ usage, arithmetic: null })).toHaveLength(3)
  expect(uncostedUsage({ usage: null, arithmetic: null })).toEqual([])
})
