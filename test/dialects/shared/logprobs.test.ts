import { describe, expect, test } from "bun:test"
import type { ChatResult } from "../../../src/canon/chat.ts"
import { isJsonObject, type JsonObject, listAt } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { logprobsOf } from "../../../src/dialects/shared/logprobs.ts"

/**
 * Functions that convert the tokens of a response with the given texts. Each token has the given number of alternatives
 * with the same text.
 */
const converted: Record<string, (texts: readonly string[], alternatives: number) => JsonObject[]> =
  {
    gemini: (texts, alternatives) => {
      const all = texts.map((token) => ({ token, logProbability: -1 }))
      const topCandidates = all.map((one) => ({ candidates: Array(alternatives).fill(one) }))
      const logprobsResult = { chosenCandidates: all, topCandidates }
      return tokensOf({ dialect: "gemini", fields: { logprobsResult } })
    },
    cohere: (texts) => {
      const logprobs = texts.map((text) => ({ text, token_ids: [1], logprobs: [-1] }))
      return tokensOf({ dialect: "cohere-chat", fields: { logprobs } })
    },
  }

function tokensOf(extra: Parameters<typeof logprobsOf>[0]): JsonObject[] {
  return (logprobsOf(extra) ?? []).filter(isJsonObject)
}

/** Returns the total length of all lists of bytes. */
function listedBytes(tokens: readonly JsonObject[]): number {
  let sum = 0
  for (const { bytes, top_logprobs } of tokens) {
    if (Array.isArray(bytes)) sum += bytes.length
    if (Array.isArray(top_logprobs)) sum += listedBytes(top_logprobs.filter(isJsonObject))
  }
  return sum
}

describe.each(["gemini", "cohere"])("log probabilities of %s", (name) => {
  const convert = (texts: readonly string[], alternatives = 0): JsonObject[] =>
    converted[name]?.(texts, alternatives) ?? []

  test("include the bytes of each token in a response of ordinary length", () => {
    const tokens = convert(Array(10_000).fill("é of "))
    expect(tokens[9_999]).toMatchObject({ token: "é of ", logprob: -1 })
    expect(listedBytes(tokens)).toBe(60_000)
  })

  test("have null bytes for a long token", () => {
    expect(convert(["x".repeat(8_000_000)])).toMatchObject([{ bytes: null, logprob: -1 }])
  })

  test("include all tokens of a long response, and bytes only up to a limit", () => {
    const tokens = convert(Array(20_000).fill("x".repeat(200)), 3)
    expect(tokens).toHaveLength(20_000)
    expect(listedBytes(tokens)).toBeLessThan(263_000)
    expect(tokens.at(-1)).toMatchObject({ token: "x".repeat(200), logprob: -1, bytes: null })
  })

  test("omit tokens that have no text", () => {
    expect(convert(["a", "", "b"], 1)).toMatchObject([{ token: "a" }, { token: "b" }])
    expect(convert(Array(2_000_000).fill(""), 1)).toEqual([])
  })

  test("include at most 100,000 tokens", () => {
    expect(convert(Array(2_000_000).fill("a"))).toHaveLength(100_000)
  })
})

describe("alternative tokens of Gemini", () => {
  test("have a maximum of 20 per token", () => {
    const [token] = converted.gemini?.(["a"], 5_000) ?? []
    expect(token?.top_logprobs).toHaveLength(20)
  })

  test("have a maximum of 100,000 per response, and all chosen tokens remain", () => {
    const tokens = converted.gemini?.(Array(6_000).fill("a"), 20) ?? []
    expect(tokens).toHaveLength(6_000)
    expect(tokens[4_999]?.top_logprobs).toHaveLength(20)
    expect(tokens[5_000]?.top_logprobs).toEqual([])
  })
})

test("the OpenAI encoder converts the log probabilities of a choice only when it writes that choice", () => {
  const logprobsResult = { chosenCandidates: [{ token: "a", logProbability: -1 }] }
  const choice = {
    index: 0,
    parts: [],
    finish: "stop",
    extra: { dialect: "gemini", fields: { logprobsResult } },
  }
  const result = {
    id: "x",
    model: "m",
    created: 1,
    choices: [choice],
    usage: NO_USAGE,
  } as unknown as ChatResult
  const [encoded] = listAt(
    OPENAI_CHAT.encodeResult(result, {
      model: "m",
      messages: [],
      stream: false,
      streamUsage: false,
      choices: 1,
    }),
    "choices",
  )
  logprobsResult.chosenCandidates.push({ token: "b", logProbability: -2 })
  expect(JSON.parse(JSON.stringify(encoded))).toMatchObject({
    logprobs: { content: [{ token: "a" }, { token: "b", bytes: [98], top_logprobs: [] }] },
  })
})
