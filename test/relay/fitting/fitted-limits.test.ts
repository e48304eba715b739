import { describe, expect, test } from "bun:test"
import type { ResponseLimits } from "../../../src/canon/dialect.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { BEDROCK_CONVERSE } from "../../../src/dialects/bedrock-converse/index.ts"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT, openAiChat } from "../../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { fitLimits } from "../../../src/relay/fitting/own-limits.ts"

const SIX = ["1", "2", "3", "4", "5", "6"]

function fitted(taken: ResponseLimits, stop: readonly string[] | undefined, maxTokens?: number) {
  return fitLimits(stop === undefined ? {} : { stop }, maxTokens, taken)
}

describe("stop sequences and output limits in a vendor's request", () => {
  test("stay unchanged if the vendor accepts them, and the relay does not enforce them itself", () => {
    for (const { responseLimits } of [ANTHROPIC_MESSAGES, COHERE_CHAT, GEMINI, OPENAI_CHAT]) {
      expect(fitted(responseLimits("model"), ["a", "b"], 1)).toBeUndefined()
      expect(fitted(responseLimits("model"), undefined)).toBeUndefined()
    }
    expect(fitted(OPENAI_RESPONSES.responseLimits("model"), undefined, 16)).toBeUndefined()
    expect(fitted(ANTHROPIC_MESSAGES.responseLimits("model"), SIX)).toBeUndefined()
  })

  test.each([
    ["openai-chat", OPENAI_CHAT.responseLimits("gpt"), 4],
    [
      "a vendor that rejects the field",
      openAiChat({ dropFields: ["stop"] }).responseLimits("m"),
      0,
    ],
    ["openai-responses", OPENAI_RESPONSES.responseLimits("gpt"), 0],
    ["gemini", GEMINI.responseLimits("gemini"), 5],
    ["cohere-chat", COHERE_CHAT.responseLimits("command"), 5],
    ["Nova", BEDROCK_CONVERSE.responseLimits("amazon.nova-pro-v1:0"), 4],
    ["OpenAI at Amazon", BEDROCK_CONVERSE.responseLimits("openai.gpt-5"), 0],
  ])(
    "exclude some stop sequences for %s, so that the relay finds them itself",
    (_name, taken, max) => {
      expect(fitted(taken, SIX)).toEqual({
        stop: SIX.slice(0, max),
        maxTokens: undefined,
        own: { stop: SIX },
      })
    },
  )

  test("exclude stop sequences that are only white space for Claude on every platform", () => {
    const amazon = BEDROCK_CONVERSE.responseLimits("anthropic.claude-sonnet-4-5-20250929-v1:0")
    for (const taken of [ANTHROPIC_MESSAGES.responseLimits("claude"), amazon]) {
      const own = { stop: ["\n\n", "END"] }
      expect(fitted(taken, ["\n\n", "END"], 9)).toEqual({ stop: ["END"], maxTokens: 9, own })
      expect(fitted(taken, [" "])).toEqual({ stop: [], maxTokens: undefined, own: { stop: [" "] } })
    }
  })

  test("exclude an empty stop sequence for every vendor", () => {
    for (const { responseLimits } of [OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES, GEMINI]) {
      const none = { stop: [], maxTokens: undefined, own: undefined }
      expect(fitted(responseLimits("model"), [""])).toEqual(none)
    }
  })

  test("exclude a stop sequence that is half a surrogate pair for every vendor", () => {
    const half = "\u{1f600}".slice(0, 1)
    for (const { responseLimits } of [OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES, GEMINI]) {
      expect(fitted(responseLimits("model"), [half])).toMatchObject({ stop: [], own: undefined })
    }
    const own = { stop: ["END"] }
    expect(fitted(OPENAI_RESPONSES.responseLimits("model"), ["END", half])).toMatchObject({ own })
  })

  test.each([
    ["openai-chat", OPENAI_CHAT.responseLimits("gpt"), 0],
    ["vLLM", openAiChat({ reportsStop: true }).responseLimits("m"), 4],
    ["gemini", GEMINI.responseLimits("gemini"), 0],
    ["cohere-chat", COHERE_CHAT.responseLimits("command"), 1],
    ["Nova", BEDROCK_CONVERSE.responseLimits("amazon.nova-pro-v1:0"), 1],
    ["Claude at Amazon", BEDROCK_CONVERSE.responseLimits("anthropic.claude-sonnet-4-5-v1:0"), 4],
    ["anthropic-messages", ANTHROPIC_MESSAGES.responseLimits("claude"), 6],
  ])(
    "exclude all stop sequences if there are more than %s can report, so that the relay finds them",
    (_name, taken, max) => {
      if (max > 0) {
        expect(fitLimits({ stop: SIX.slice(0, max) }, undefined, taken, true)).toBeUndefined()
      }
      const stop = SIX.slice(0, max + 1)
      const limits = fitLimits({ stop }, undefined, taken, true)
      if (taken.reportedStops > SIX.length) expect(limits?.stop.length ?? max).toBe(max)
      else expect(limits).toEqual({ stop: [], maxTokens: undefined, own: { stop } })
    },
  )

  test("increase to the vendor's minimum, and the relay enforces the requested limit", () => {
    const taken = OPENAI_RESPONSES.responseLimits("gpt")
    expect(fitted(taken, undefined, 5)).toEqual({
      stop: [],
      maxTokens: 16,
      own: { stop: [], maxTokens: 5 },
    })
  })
})
