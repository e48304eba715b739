import { expect, test } from "bun:test"
import { formatWait } from "../../src/limits/headers.ts"

test.each([
  [0, "0s"],
  [0.2, "1ms"],
  [12, "12ms"],
  [999.4, "1s"],
  [1_000, "1s"],
  [1_500, "1.5s"],
  [59_999, "59.999s"],
  [60_000, "1m0s"],
  [360_000, "6m0s"],
  [3_600_000, "1h0m0s"],
  [17_008_384, "4h43m28.384s"],
])("the rate limit header for %p ms is %p, in OpenAI's format", (milliseconds, text) => {
  expect(formatWait(milliseconds)).toBe(text)
})
