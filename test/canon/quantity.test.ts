import { expect, test } from "bun:test"
import { MAX_QUANTITY } from "../../src/accounting/maxima.ts"
import type { JsonValue } from "../../src/canon/json.ts"
import { measureOf, quantityOf, waitSecondsOf } from "../../src/canon/quantity.ts"
import { NO_USAGE, type Usage } from "../../src/canon/usage.ts"
import { parsePrice } from "../../src/ledger/parse-price.ts"
import { costOf } from "../../src/ledger/price.ts"
import { decodeUsage as anthropic } from "../../src/dialects/anthropic-messages/usage.ts"
import { decodeUsage as bedrock } from "../../src/dialects/bedrock-converse/usage.ts"
import { decodeUsage as cohere } from "../../src/dialects/cohere-chat/usage.ts"
import { decodeGeminiUsage as gemini } from "../../src/dialects/shared/gemini-usage.ts"
import { decodeUsage as chat } from "../../src/dialects/openai-chat/usage.ts"
import { decodeUsage as responses } from "../../src/dialects/openai-responses/usage.ts"

const DECODERS: Readonly<
  Record<string, (input: JsonValue, output: JsonValue) => Usage | undefined>
> = {
  "openai-chat": (input, output) => chat({ prompt_tokens: input, completion_tokens: output }),
  "openai-responses": (input, output) =>
    responses({ usage: { input_tokens: input, output_tokens: output } }),
  "anthropic-messages": (input, output) =>
    anthropic({ input_tokens: input, output_tokens: output }),
  gemini: (input, output) => gemini({ promptTokenCount: input, candidatesTokenCount: output }),
  "bedrock-converse": (input, output) => bedrock({ inputTokens: input, outputTokens: output }),
  "cohere-chat": (input, output) =>
    cohere({ billed_units: { input_tokens: input, output_tokens: output } }),
}

test("a reported quantity is a whole number in any notation", () => {
  expect([7, "7", " 7 ", 6.2, "6.2", "7e0"].map(quantityOf)).toEqual([7, 7, 7, 7, 7, 7])
  expect([-3, "-3"].map(quantityOf)).toEqual([0, 0])
  expect([1e308, "1e308", 2 ** 60, Infinity].map(quantityOf)).toEqual(
    Array.from({ length: 4 }, () => MAX_QUANTITY),
  )
  const none = [null, undefined, "", "seven", "0x10", "1,5", true, [], {}, NaN]
  expect(none.map(quantityOf)).toEqual(none.map(() => undefined))
  expect(measureOf("1.25")).toBe(1.25)
})

test("a retry delay is a whole number of seconds, at most one hour", () => {
  expect([0.2, 7, 1e308, Infinity, -1].map(waitSecondsOf)).toEqual([1, 7, 3_600, 3_600, 1])
  expect([undefined, Number.NaN].map(waitSecondsOf)).toEqual([undefined, undefined])
})

for (const [dialect, decode] of Object.entries(DECODERS)) {
  test(`${dialect} reads quantities in text, and ignores quantities that cannot be charged`, () => {
    expect(decode("12", "3")).toEqual({ ...NO_USAGE, inputFresh: 12, output: 3 })
    const price = parsePrice({ input: "1", output: "2" }, "1")
    for (const absurd of [1e308, "1e400", 2 ** 53, -1, 1e15, 0.1]) {
      const usage = decode(absurd, absurd)
      if (usage) expect(costOf(usage, price).total).toBeGreaterThanOrEqual(0n)
    }
  })
}
