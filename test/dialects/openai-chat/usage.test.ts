import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE, totalInput, totalOutput } from "../../../src/canon/usage.ts"
import {
  chunkUsage,
  decodeUsage,
  encodeUsage,
  withTotal,
} from "../../../src/dialects/openai-chat/usage.ts"
import { HAS_FIXTURES, readFixture } from "./fixtures.ts"

describe("OpenAI usage", () => {
  test("counts cached and audio tokens as parts of the prompt", () => {
    const usage = decodeUsage({
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 30, audio_tokens: 20, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 15, audio_tokens: 5 },
    })
    expect(usage).toEqual({
      ...NO_USAGE,
      inputFresh: 40,
      inputCacheRead: 30,
      inputCacheWrite: 10,
      audioInput: 20,
      output: 45,
      reasoning: 15,
      audioOutput: 5,
    })
  })

  test.each([
    { prompt_tokens_details: { cached_tokens: 30, cache_creation_input_tokens: 20 } },
    { prompt_tokens_details: { cached_tokens: 30, cache_creation_tokens: 20 } },
    { prompt_tokens_details: { cached_tokens: 30, caching_tokens: 20 } },
    { prompt_tokens_details: { cached_tokens: 30 }, cache_creation_input_tokens: 20 },
    { cache_read_input_tokens: 30, cache_creation_input_tokens: 20 },
    { cache_read_input_tokens: 30, cache_creation: { ephemeral_5m_input_tokens: 20 } },
    {
      prompt_tokens_details: {
        cached_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 20 },
        cache_type: "ephemeral",
      },
    },
  ])("reads cache writes under the names of other vendors: %j", (details) => {
    const usage = decodeUsage({ prompt_tokens: 100, completion_tokens: 1, ...details })
    expect(usage).toMatchObject({ inputFresh: 50, inputCacheRead: 30, inputCacheWrite: 20 })
  })

  test("reads the cache writes of each lifetime under Anthropic's names next to the total", () => {
    const lifetimes = { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 }
    const reported = { cache_creation_input_tokens: 20, cache_creation: lifetimes }
    expect(decodeUsage({ prompt_tokens: 100, completion_tokens: 1, ...reported })).toMatchObject({
      inputFresh: 80,
      inputCacheWrite: 5,
      inputCacheWrite1h: 15,
      shortCacheWrite: 5,
    })
  })

  test("reads the cache writes of each lifetime under Anthropic's names in the details", () => {
    const lifetimes = { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 }
    const details = { cache_creation_tokens: 20, cache_creation_token_details: lifetimes }
    const reported = { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: details }
    expect(decodeUsage(reported)).toMatchObject({
      inputFresh: 80,
      inputCacheWrite: 5,
      inputCacheWrite1h: 15,
      shortCacheWrite: 5,
    })
    // Invalid counts never exceed the prompt.
    expect(decodeUsage({ ...reported, prompt_tokens: 12 })).toMatchObject({
      inputFresh: 0,
      inputCacheWrite: 0,
      inputCacheWrite1h: 12,
    })
  })

  test("separates uncached image tokens from the other prompt tokens", () => {
    const details = { cached_tokens: 30, audio_tokens: 20, image_tokens: 70 }
    const told = { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: details }
    const usage = decodeUsage(told)
    expect(usage).toMatchObject({ inputFresh: 10, audioInput: 20, imageInput: 40 })
    expect(encodeUsage(usage!)).toMatchObject({
      prompt_tokens: 100,
      prompt_tokens_details: { image_tokens: 70 },
    })
    expect(decodeUsage(encodeUsage(usage!))).toEqual(usage!)
    const all = { ...told, prompt_tokens_details: { cached_tokens: 80, image_tokens: 60 } }
    expect(decodeUsage(all)).toMatchObject({ inputFresh: 20, inputCacheRead: 80, imageInput: 0 })
  })

  test("adds xAI's reasoning tokens to the completion tokens", () => {
    const usage = decodeUsage({
      prompt_tokens: 307,
      completion_tokens: 26,
      total_tokens: 560,
      prompt_tokens_details: { cached_tokens: 306 },
      completion_tokens_details: { reasoning_tokens: 227 },
    })
    expect(usage).toMatchObject({ inputFresh: 1, inputCacheRead: 306, output: 253, reasoning: 227 })
  })

  test("counts tokens that only the total includes as reasoning output", () => {
    const usage = decodeUsage({ prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 })
    expect(usage).toMatchObject({ inputFresh: 35, output: 74, reasoning: 62 })
  })

  test.each([
    [11, 15, 401, 375],
    [500, 15, 890, 375],
  ])(
    "counts audio outside a prompt of %i as input, not output",
    (prompt, completion, total, audio) => {
      const reported = {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: total,
        prompt_tokens_details: { audio_tokens: audio },
      }
      expect(decodeUsage(reported)).toMatchObject({
        inputFresh: prompt,
        audioInput: audio,
        output: completion,
        reasoning: 0,
      })
      expect(withTotal(reported)).toMatchObject({
        prompt_tokens: prompt + audio,
        completion_tokens: completion,
        total_tokens: total,
      })
    },
  )

  test.each([
    ["reasoning outside the completion", [12, 9, 300], [12, 288, 300]],
    ["a total below its parts", [5, 2, 99 - 95], [5, 2, 7]],
    ["fractions", [4.5, 2, 6.5], [5, 2, 7]],
    ["negative counts", [-1, 2, 1], [0, 2, 2]],
  ])("adds up to the charged tokens in a patched response: %s", (_, given, expected) => {
    const [prompt_tokens = 0, completion_tokens = 0, total_tokens = 0] = given
    const {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: total,
    } = withTotal({
      prompt_tokens,
      completion_tokens,
      total_tokens,
    })
    expect([prompt, completion, total]).toEqual(expected)
  })

  test("remains unchanged if the counts add up to the total", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 1 }
    expect(withTotal(usage)).toBe(usage)
  })

  test("ignores a total below the sum of its parts", () => {
    const usage = decodeUsage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 3 })
    expect(usage).toMatchObject({ inputFresh: 10, output: 5, reasoning: 0 })
  })

  test("limits cached tokens to the prompt", () => {
    const usage = decodeUsage({
      prompt_tokens: 7,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 163, audio_tokens: 9, cache_write_tokens: 9 },
    })
    expect(usage).toMatchObject({ inputFresh: 0, inputCacheRead: 7, inputCacheWrite: 0 })
    expect(totalInput(usage!)).toBe(7)
  })

  test.each([
    ["DeepSeek", { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6 }],
    ["Moonshot", { cached_tokens: 4 }],
  ])("reads cached tokens under the name of %s", (_, fields) => {
    const usage = decodeUsage({ prompt_tokens: 10, completion_tokens: 1, ...fields })
    expect(usage).toMatchObject({ inputFresh: 6, inputCacheRead: 4 })
  })

  test("ignores cached tokens that Mistral reports but does not charge separately", () => {
    const usage = decodeUsage({ prompt_tokens: 70, completion_tokens: 12, num_cached_tokens: 69 })
    expect(usage).toMatchObject({ inputFresh: 70, inputCacheRead: 0 })
  })

  test("counts null, missing and impossible members as zero", () => {
    const usage = decodeUsage({
      prompt_tokens: 10,
      completion_tokens: null,
      total_tokens: "many",
      prompt_tokens_details: null,
      completion_tokens_details: { reasoning_tokens: -4, audio_tokens: null },
    })
    expect(usage).toEqual({ ...NO_USAGE, inputFresh: 10 })
  })

  test("stays undefined if the vendor reports no usage", () => {
    expect(decodeUsage(undefined)).toBeUndefined()
    expect(decodeUsage(null)).toBeUndefined()
    expect(decodeUsage({})).toBeUndefined()
    expect(decodeUsage({ cost: 1 })).toBeUndefined()
    expect(decodeUsage([1])).toBeUndefined()
  })

  test("counts web searches that the vendor reports", () => {
    const perplexity = { prompt_tokens: 1, completion_tokens: 1, num_search_queries: 3 }
    expect(decodeUsage(perplexity)?.searches).toBe(3)
    const details = { server_tool_use_details: { web_search_requests: 2 } }
    expect(decodeUsage({ prompt_tokens: 1, completion_tokens: 1, ...details })?.searches).toBe(2)
  })

  test("includes usage in Groq's field x_groq", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2 }
    expect(chunkUsage({ x_groq: { usage } })).toBe(usage)
    expect(chunkUsage({ usage, x_groq: { id: "x" } })).toBe(usage)
    expect(chunkUsage({ usage: null, x_groq: { id: "x" } })).toBeUndefined()
  })

  test("contains all members and a correct total after encoding", () => {
    const usage = { ...NO_USAGE, inputFresh: 5, inputCacheWrite1h: 2, output: 7, reasoning: 3 }
    expect(encodeUsage(usage)).toEqual({
      prompt_tokens: 7,
      completion_tokens: 7,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0, cache_write_tokens: 2 },
      completion_tokens_details: {
        reasoning_tokens: 3,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    })
  })
})

interface OracleCase {
  readonly model: string
  readonly body: { readonly usage?: JsonObject }
  readonly extracted: readonly {
    readonly usage: Readonly<Record<string, number>>
    readonly extractors: readonly { provider_id: string; api_flavor: string }[]
  }[]
}

function extractionOf(oracle: OracleCase, provider: string): Readonly<Record<string, number>> {
  const found = oracle.extracted.find(({ extractors }) =>
    extractors.some(({ provider_id: id, api_flavor: flavor }) => `${id}/${flavor}` === provider),
  )
  return found?.usage ?? {}
}

describe("OpenAI usage compared with the independent oracle", () => {
  const cases: OracleCase[] = HAS_FIXTURES
    ? JSON.parse(readFixture("prices/genai-prices.usages-oracle.json"))
    : []
  const ours = cases.filter(({ body }) => typeof body.usage?.completion_tokens === "number")

  test.skipIf(!HAS_FIXTURES)("matches the oracle for each usage class", () => {
    let compared = 0
    for (const oracle of ours) {
      const reported = oracle.body.usage ?? {}
      const { prompt_tokens: prompt, completion_tokens: completion } = reported
      const details = reported.completion_tokens_details as JsonObject | undefined
      const beyond = Number(reported.total_tokens ?? 0) - Number(prompt) - Number(completion)
      // The oracle has no rule for Gemini's hidden thoughts.
      const isHidden = beyond > 0 && beyond !== details?.reasoning_tokens
      if (isHidden || reported.prompt_tokens === undefined) continue
      const expected = extractionOf(oracle, beyond > 0 ? "x-ai/chat" : "openai/chat")
      const usage = decodeUsage(reported)!
      expect(totalInput(usage)).toBe(expected.input_tokens ?? 0)
      expect(totalOutput(usage)).toBe(expected.output_tokens ?? 0)
      expect(usage.inputCacheRead).toBe(expected.cache_read_tokens ?? 0)
      expect(usage.inputCacheWrite).toBe(expected.cache_write_tokens ?? 0)
      expect(usage.reasoning).toBe(expected.output_reasoning_tokens ?? 0)
      expect(usage.audioInput).toBe(expected.input_audio_tokens ?? 0)
      compared++
    }
    expect(compared).toBeGreaterThan(40)
  })
})
