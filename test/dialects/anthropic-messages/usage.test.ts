import { describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE, totalInput, type Usage } from "../../../src/canon/usage.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"

const REQUEST = { model: "m", messages: [], stream: false, streamUsage: false, choices: 1 } as const

function decoded(usage: JsonObject): Usage | undefined {
  return ANTHROPIC_MESSAGES.decodeResult({ content: [], usage }).usage
}

function encoded(usage: Partial<Usage>): JsonObject {
  const result = { choices: [], usage: { ...NO_USAGE, ...usage } }
  return ANTHROPIC_MESSAGES.encodeResult(result, REQUEST).usage as JsonObject
}

describe("Anthropic usage", () => {
  test("counts cached tokens in addition to the input, and thinking within the output", () => {
    const usage = decoded({
      input_tokens: 10,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: 5,
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 3 },
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 15 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 9 },
    })
    expect(usage).toEqual({
      ...NO_USAGE,
      inputFresh: 10,
      inputCacheRead: 5,
      inputCacheWrite: 4,
      inputCacheWrite1h: 3,
      shortCacheWrite: 4,
      output: 20,
      reasoning: 15,
      searches: 2,
    })
  })

  test("counts cache writes as five-minute writes unless the vendor reports their lifetimes", () => {
    const counts = { input_tokens: 1, cache_creation_input_tokens: 7, output_tokens: 1 }
    expect(decoded(counts)).toMatchObject({ inputCacheWrite: 7, inputCacheWrite1h: 0 })
    const both = { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 1 }
    const split = { input_tokens: 1, output_tokens: 1, cache_creation: both }
    expect(decoded(split)).toMatchObject({ inputCacheWrite: 2, inputCacheWrite1h: 1 })
  })

  test.each([undefined, 0, 100])(
    "counts cache writes by lifetime even if the vendor reports a total of %p",
    (total) => {
      const cache_creation = { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 1_500 }
      const usage = decoded({
        input_tokens: 1,
        output_tokens: 1,
        cache_creation,
        ...(total !== undefined && { cache_creation_input_tokens: total }),
      })
      expect(usage).toMatchObject({ inputCacheWrite: 500, inputCacheWrite1h: 1_500 })
    },
  )

  test("includes the tokens used to compact a conversation", () => {
    const iterations = [
      { type: "compaction", input_tokens: 300, output_tokens: 20 },
      { type: "compaction" },
      { type: "message", input_tokens: 5, output_tokens: 6 },
      "none",
    ]
    const usage = decoded({ input_tokens: 5, output_tokens: 6, iterations })
    expect(usage).toMatchObject({ inputFresh: 305, output: 26 })
  })

  test("replaces negative counts by zero, limits thinking to the output, and accepts missing counts", () => {
    const counts = { input_tokens: -1, output_tokens: 3 }
    const usage = { ...counts, output_tokens_details: { thinking_tokens: 9 } }
    expect(decoded(usage)).toMatchObject({ inputFresh: 0, output: 3, reasoning: 3 })
    expect(decoded({})).toBeUndefined()
    expect(ANTHROPIC_MESSAGES.decodeResult({ content: [] }).usage).toBeUndefined()
  })

  test("contains every member of the official client's usage type after encoding", () => {
    const usage = {
      inputFresh: 1,
      inputCacheRead: 2,
      inputCacheWrite: 3,
      inputCacheWrite1h: 4,
      audioInput: 4,
      imageInput: 1,
      output: 6,
      audioOutput: 7,
    }
    expect(encoded(usage)).toEqual({
      input_tokens: 6,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: 2,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
      output_tokens: 13,
      output_tokens_details: null,
      server_tool_use: null,
      inference_geo: null,
      service_tier: null,
      speed: null,
    })
    expect(encoded({ output: 5, reasoning: 4, searches: 1 })).toMatchObject({
      output_tokens_details: { thinking_tokens: 4 },
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    })
  })
})

interface OracleCase {
  readonly body: JsonObject
  readonly extracted: {
    readonly usage: Record<string, number>
    readonly extractors: { readonly provider_id: string; readonly api_flavor: string }[]
  }[]
}

function oracleCases(): { usage: JsonObject; expected: Record<string, number> }[] {
  if (!HAS_FIXTURES) return []
  const cases = JSON.parse(readFixture("prices/genai-prices.usages-oracle.json")) as OracleCase[]
  return cases.flatMap(({ body, extracted }) => {
    const ours = extracted.find(({ extractors }) =>
      extractors.some(({ provider_id: provider }) => provider === "anthropic"),
    )
    const { usage } = body
    // Bodies of OpenAI's responses have members with the same names but another meaning.
    if (ours === undefined || !isJsonObject(usage) || "total_tokens" in usage) return []
    // The oracle ignores iterations. Iterations that are not part of the sums are covered by other tests.
    const { iterations: _, ...sums } = usage
    return [{ usage: sums, expected: ours.usage }]
  })
}

describe(`Anthropic usage compared with an independent decoder${WITHOUT_FIXTURES}`, () => {
  const cases = oracleCases()
  test.skipIf(!HAS_FIXTURES)("covers the recorded cases", () =>
    expect(cases.length).toBeGreaterThan(10),
  )

  for (const [index, { usage, expected }] of cases.entries()) {
    test(`matches the independent decoder: case ${index}`, () => {
      const read = decoded(usage) ?? NO_USAGE
      expect(totalInput(read)).toBe(expected.input_tokens ?? 0)
      expect(read.output).toBe(expected.output_tokens ?? 0)
      expect(read.inputCacheRead).toBe(expected.cache_read_tokens ?? 0)
      expect(read.inputCacheWrite + read.inputCacheWrite1h).toBe(expected.cache_write_tokens ?? 0)
      expect(read.reasoning).toBe(expected.output_reasoning_tokens ?? 0)
      expect(read.searches).toBe(expected.web_searches ?? 0)
    })
  }
})
