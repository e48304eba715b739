import { describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"

function usageOf(response: JsonObject) {
  return OPENAI_RESPONSES.decodeResult({ output: [], ...response }).usage
}

describe("Responses usage", () => {
  test("counts cached tokens as part of the input and reasoning as part of the output", () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 15 },
      total_tokens: 150,
    }
    expect(usageOf({ usage })).toEqual({
      ...NO_USAGE,
      inputFresh: 50,
      inputCacheRead: 30,
      inputCacheWrite: 20,
      output: 50,
      reasoning: 15,
    })
  })

  test("separates uncached image tokens from the other input tokens", () => {
    const details = { cached_tokens: 30, image_tokens: 90 }
    const usage = { input_tokens: 100, input_tokens_details: details, output_tokens: 1 }
    expect(usageOf({ usage })).toMatchObject({ inputFresh: 10, inputCacheRead: 30, imageInput: 60 })
    const more = { ...usage, input_tokens_details: { cached_tokens: 30, image_tokens: 120 } }
    expect(usageOf({ usage: more })).toMatchObject({ inputFresh: 0, imageInput: 70 })
  })

  test("limits cached and reasoning tokens to the input and output tokens", () => {
    const usage = {
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 163, cache_write_tokens: 5 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 9 },
    }
    expect(usageOf({ usage })).toMatchObject({
      inputFresh: 0,
      inputCacheRead: 7,
      inputCacheWrite: 0,
      reasoning: 1,
    })
  })

  test("includes web searches that the vendor reports separately", () => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    expect(usageOf({ usage, tool_usage: { web_search: { num_requests: 2 } } })?.searches).toBe(2)
  })

  test.each([{}, { usage: null }, { usage: {} }, { usage: "none" }])(
    "stays undefined for %j",
    (response) => {
      expect(usageOf(response)).toBeUndefined()
    },
  )
})

interface OracleCase {
  readonly body: JsonObject
  readonly extracted: readonly {
    readonly usage: Readonly<Record<string, number>>
    readonly extractors: readonly { readonly provider_id: string; readonly api_flavor: string }[]
  }[]
}

/** Returns usage objects of this dialect, with the results of an independent reader. */
function questions() {
  if (!HAS_FIXTURES) return []
  const cases = JSON.parse(readFixture("prices/genai-prices.usages-oracle.json")) as OracleCase[]
  return cases.flatMap(({ body, extracted }, index) => {
    const { usage } = body
    if (!isJsonObject(usage) || !isJsonObject(usage.input_tokens_details)) return []
    return extracted
      .filter(({ extractors }) =>
        extractors.some((rule) => rule.provider_id === "openai" && rule.api_flavor === "responses"),
      )
      .map(({ usage: expected }) => ({ name: `${index} ${String(body.file)}`, usage, expected }))
  })
}

describe(`Responses usage compared with the oracle${WITHOUT_FIXTURES}`, () => {
  const asked = questions()
  test.skipIf(!HAS_FIXTURES)("covers more than ten recorded cases", () => {
    expect(asked.length).toBeGreaterThan(10)
  })
  for (const { name, usage, expected } of asked) {
    test(`matches the oracle: ${name}`, () => {
      const read = usageOf({ usage })
      const { inputFresh = 0, inputCacheRead = 0, inputCacheWrite = 0 } = read ?? {}
      expect(inputFresh + inputCacheRead + inputCacheWrite).toBe(expected.input_tokens ?? 0)
      expect(inputCacheRead).toBe(expected.cache_read_tokens ?? 0)
      expect(inputCacheWrite).toBe(expected.cache_write_tokens ?? 0)
      expect(read?.output).toBe(expected.output_tokens ?? 0)
    })
  }
})
