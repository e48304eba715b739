import { expect, test } from "bun:test"
import { checkFloatAmounts, floatAmounts } from "../../scripts/float-amounts.ts"

test.each([
  "String(Number(one.cost) + Number(other.cost))",
  "rows.reduce((sum, { amount }) => sum + Number(amount), 0)",
  'parseFloat(row.provider_cost ?? "0")',
  "roughCredits(row.cost) - roughCredits(row.written_off)",
  "sum += roughCredits(row.cost)",
  "if (Number(account.debt) > 0) return",
])("the check of amounts reports a sum of amounts as floats: %s", (source) => {
  expect(floatAmounts(source, "a.ts")).not.toEqual([])
})

test.each([
  "nanosText(nanos(one.cost) + nanos(other.cost))",
  "(roughCredits(row.cost) / most) * 100",
  "Number(row.requests)",
  "Number(right - left)",
])("the check of amounts accepts integers, ratios and counts: %s", (source) => {
  expect(floatAmounts(source, "a.ts")).toEqual([])
})

test("the console and the commands never convert an amount to a float", () => {
  expect(checkFloatAmounts(["console/src", "src/cli"])).toEqual([])
})
