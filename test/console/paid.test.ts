import { expect, test } from "bun:test"
import { paidText } from "../../console/src/format/paid.ts"

test.each([
  ["25", "eur", "EUR 25.00"],
  ["1234.5", "usd", "USD 1,234.50"],
  ["2500", "jpy", "JPY 2,500"],
  ["999999.99", "gbp", "GBP 999,999.99"],
])("a paid amount of %p in %p is shown as %p", (amount, currency, text) => {
  expect(paidText({ amount, currency })).toBe(text)
})
