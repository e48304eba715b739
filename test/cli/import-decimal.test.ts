import { expect, test } from "bun:test"
import { nanocreditsOf, perMillion, scaled } from "../../src/cli/import/decimal.ts"

test.each([
  ["1.5e-07", "0.15"],
  ["0.00000015", "0.15"],
  [1.5e-7, "0.15"],
  ["3e-06", "3"],
  [0, "0"],
  ["1e-12", "0.000001"],
  ["0.0000012345678", "1.2345678"],
  ["12", "12000000"],
])("a unit price of %p is imported as a price of %p per million", (price, text) => {
  expect(perMillion(price)).toBe(text)
})

test("an invalid unit price is imported as undefined", () => {
  for (const wrong of ["", "free", "-1", "1e9999", "0x10", "1.2.3", "NaN"]) {
    expect(perMillion(wrong)).toBeUndefined()
  }
})

test("an import drops digits below a nanocredit", () => {
  expect(nanocreditsOf(7.876543210877)).toBe(7_876_543_210n)
  expect(nanocreditsOf(1e-10)).toBe(0n)
  expect(scaled("-1.5", 1)).toBe(-15n)
})
