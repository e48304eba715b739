import { describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import { logprobsOf } from "../../../src/dialects/shared/logprobs.ts"

/** The converted tokens of an answer with these texts, each with as many alternatives of the same text. */
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

/** The numbers in all lists of bytes. */
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

  test("contain the bytes of each token of an ordinary answer", () => {
    const tokens = convert(Array(10_000).fill("é of "))
    expect(tokens[9_999]).toMatchObject({ token: "é of ", logprob: -1 })
    expect(listedBytes(tokens)).toBe(60_000)
  })

  test("have null bytes for a token that is too long", () => {
    expect(convert(["x".repeat(8_000_000)])).toMatchObject([{ bytes: null, logprob: -1 }])
  })

  test("contain all tokens, but a limited number of bytes", () => {
    const tokens = convert(Array(20_000).fill("x".repeat(200)), 3)
    expect(tokens).toHaveLength(20_000)
    expect(listedBytes(tokens)).toBeLessThan(263_000)
    expect(tokens.at(-1)).toMatchObject({ token: "x".repeat(200), logprob: -1, bytes: null })
  })
})

test("log probabilities of gemini have at most 20 alternatives for each token", () => {
  const [token] = converted.gemini?.(["a"], 5_000) ?? []
  expect(token?.top_logprobs).toHaveLength(20)
})
