import { describe, expect, test } from "bun:test"
import type { Choice } from "../../../src/canon/chat.ts"
import type { Part } from "../../../src/canon/message.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"
import { response } from "./support.ts"

function choiceOf(parts: JsonValue[], candidate: JsonObject = {}): Choice {
  const [choice] = GEMINI.decodeResult(response(parts, candidate)).choices
  if (choice === undefined) throw new Error("no choice")
  return choice
}

function partsOf(...parts: JsonValue[]): readonly Part[] {
  return choiceOf(parts).parts
}

function reasoning(text: string, signature: string): Part {
  return { type: "reasoning", text, signature, signedBy: "gemini" }
}

describe("the Gemini response decoder", () => {
  test("reads the id, the model and the usage", () => {
    const body = {
      ...response([{ text: "Hi" }]),
      responseId: "r1",
      modelVersion: "gemini-2.5-flash",
      createTime: "2025-12-01T21:58:25.986363Z",
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
      modelStatus: { stage: "STABLE" },
    }
    expect(GEMINI.decodeResult(body)).toMatchObject({
      id: "r1",
      model: "gemini-2.5-flash",
      created: 1_764_626_305,
      choices: [{ index: 0, parts: [{ type: "text", text: "Hi" }], finish: "stop" }],
      usage: { inputFresh: 1, output: 2 },
      extra: { dialect: "gemini", fields: { modelStatus: { stage: "STABLE" } } },
    })
  })

  test("returns one choice per candidate", () => {
    const candidate = (text: string, index: number): JsonObject => ({
      content: { parts: [{ text }] },
      finishReason: "STOP",
      index,
    })
    const { choices } = GEMINI.decodeResult({ candidates: [candidate("b", 1), candidate("a", 0)] })
    expect(choices.map(({ index, parts }) => [index, parts])).toEqual([
      [1, [{ type: "text", text: "b" }]],
      [0, [{ type: "text", text: "a" }]],
    ])
  })

  test.each<[string, JsonObject]>([
    ["nothing", {}],
    ["an error", { error: { message: "x" } }],
    ["no candidates", { candidates: [], usageMetadata: { promptTokenCount: 1 } }],
    ["another dialect's answer", { choices: [{ message: { content: "x" } }] }],
  ])("fails on %s", (_, body) => {
    expect(() => GEMINI.decodeResult(body)).toThrow(GatewayError)
  })
})

describe("the Gemini part decoder", () => {
  test("decodes text, thoughts and calls in order", () => {
    const parts = partsOf(
      { text: "think", thought: true },
      { text: " more", thought: true },
      { text: "Hi" },
      { text: " there" },
      { functionCall: { id: "fc1", name: "f", args: { a: [1] } } },
    )
    expect(parts).toEqual([
      { type: "reasoning", text: "think more" },
      { type: "text", text: "Hi there" },
      { type: "tool-call", id: "fc1", name: "f", arguments: '{"a":[1]}' },
    ])
  })

  test("generates an id and empty arguments for a call that lacks both", () => {
    const [first, second] = partsOf(
      { functionCall: { name: "f" } },
      { functionCall: { name: "f" } },
    )
    if (first?.type !== "tool-call" || second?.type !== "tool-call") throw new Error("no calls")
    expect(first.id).toMatch(/^call_[A-Za-z0-9]{24}$/)
    expect(second.id).not.toBe(first.id)
    expect(first.arguments).toBe("{}")
  })

  test("returns a signature directly before its part, and only once for parallel calls", () => {
    const parts = partsOf(
      { functionCall: { id: "1", name: "f", args: {} }, thoughtSignature: "s1" },
      { functionCall: { id: "2", name: "f", args: {} } },
    )
    expect(parts).toEqual([
      reasoning("", "s1"),
      { type: "tool-call", id: "1", name: "f", arguments: "{}" },
      { type: "tool-call", id: "2", name: "f", arguments: "{}" },
    ])
  })

  test("attaches a signature to the thoughts before it, or to an empty text", () => {
    const parts = partsOf(
      { text: "think", thought: true },
      { text: "Hi", thoughtSignature: "s1" },
      { text: "", thoughtSignature: "s2" },
    )
    expect(parts).toEqual([
      reasoning("think", "s1"),
      { type: "text", text: "Hi" },
      reasoning("", "s2"),
    ])
    expect(partsOf({ text: "Hi" }, { thoughtSignature: "s1" })).toEqual([
      { type: "text", text: "Hi" },
      reasoning("", "s1"),
    ])
  })

  test("reads generated images and audio", () => {
    const parts = partsOf(
      { inlineData: { mimeType: "image/png", data: "AAAA" }, thoughtSignature: "s1" },
      { inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: "BBBB" } },
    )
    expect(parts).toEqual([
      reasoning("", "s1"),
      { type: "image", source: { type: "base64", data: "AAAA", mediaType: "image/png" } },
      {
        type: "audio",
        source: { type: "base64", data: "BBBB", mediaType: "audio/L16;codec=pcm;rate=24000" },
      },
    ])
  })

  test("keeps Gemini-only parts as extras", () => {
    const kept = [
      { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "s1" },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
      { inlineData: { mimeType: "image/png", data: "AAAA" }, thought: true },
      { fromTheFuture: {} },
    ]
    expect(partsOf(...kept)).toEqual(
      kept.map((fields) => ({ type: "unknown", extra: { dialect: "gemini", fields } })),
    )
  })

  test("joins arguments that arrive in several chunks of one response", () => {
    const functionCall = {
      name: "divide",
      partialArgs: [
        { jsonPath: "$.denominator", numberValue: 2 },
        { jsonPath: "$.numerator", numberValue: 100 },
      ],
    }
    expect(partsOf({ functionCall })).toMatchObject([
      { type: "tool-call", name: "divide", arguments: '{"denominator":2,"numerator":100}' },
    ])
  })
})

describe("the Gemini finish reason decoder", () => {
  test.each([
    ["STOP", "stop", undefined],
    ["MAX_TOKENS", "length", undefined],
    ["SAFETY", "content-filter", "SAFETY"],
    ["RECITATION", "content-filter", "RECITATION"],
    ["BLOCKLIST", "content-filter", "BLOCKLIST"],
    ["PROHIBITED_CONTENT", "content-filter", "PROHIBITED_CONTENT"],
    ["SPII", "content-filter", "SPII"],
    ["IMAGE_SAFETY", "content-filter", "IMAGE_SAFETY"],
    ["IMAGE_PROHIBITED_CONTENT", "content-filter", "IMAGE_PROHIBITED_CONTENT"],
    ["IMAGE_RECITATION", "content-filter", "IMAGE_RECITATION"],
    ["IMAGE_OTHER", "content-filter", "IMAGE_OTHER"],
    ["MODEL_ARMOR", "content-filter", "MODEL_ARMOR"],
    ["LANGUAGE", "content-filter", "LANGUAGE"],
    ["NO_IMAGE", "other", "NO_IMAGE"],
    ["CONTINUATION", "other", "CONTINUATION"],
    ["FROM_THE_FUTURE", "other", "FROM_THE_FUTURE"],
  ])("decodes the finish reason %s", (finishReason, finish, rawFinish) => {
    const choice = choiceOf([{ text: "a" }], { finishReason })
    expect(choice.finish as string).toBe(finish)
    expect(choice.rawFinish).toBe(rawFinish)
  })

  test.each([
    "MALFORMED_FUNCTION_CALL",
    "MALFORMED_RESPONSE",
    "MISSING_THOUGHT_SIGNATURE",
    "OTHER",
    "TOO_MANY_TOOL_CALLS",
    "UNEXPECTED_TOOL_CALL",
  ])("treats %s as a failed generation", (finishReason) => {
    expect(() => choiceOf([{ text: "a" }], { finishReason })).toThrow("failed while it wrote")
  })

  test("reports tool calls for STOP if there is a call, but not if the token limit ended the response", () => {
    const call = { functionCall: { name: "f", args: {} } }
    expect(choiceOf([call])).toMatchObject({ finish: "tool-calls" })
    expect(choiceOf([call]).rawFinish).toBeUndefined()
    expect(choiceOf([call], { finishReason: "MAX_TOKENS" }).finish).toBe("length")
    expect(() => choiceOf([call], { finishReason: "MALFORMED_FUNCTION_CALL" })).toThrow()
  })

  test.each(["UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])(
    "keeps %s as the raw finish reason of a response that contains a call",
    (word) => {
      const call = { functionCall: { name: "f", args: {} } }
      const { finish, rawFinish } = choiceOf([call], { finishReason: word })
      expect([finish, rawFinish]).toEqual(["tool-calls", word])
    },
  )

  test("accepts a response without text that was filtered or contains only thoughts", () => {
    const filtered = { candidates: [{ content: {}, finishReason: "SAFETY", safetyRatings: [1] }] }
    expect(GEMINI.decodeResult(filtered).choices).toEqual([
      {
        index: 0,
        parts: [],
        finish: "content-filter",
        rawFinish: "SAFETY",
        extra: { dialect: "gemini", fields: { safetyRatings: [1] } },
      },
    ])
    const spent = { candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS" }] }
    expect(GEMINI.decodeResult(spent).choices).toEqual([{ index: 0, parts: [], finish: "length" }])
  })

  test("returns one choice with the finish reason content-filter for a rejected prompt", () => {
    const promptFeedback = { blockReason: "PROHIBITED_CONTENT" }
    const usageMetadata = { promptTokenCount: 5, totalTokenCount: 5 }
    expect(GEMINI.decodeResult({ promptFeedback, usageMetadata })).toMatchObject({
      choices: [{ parts: [], finish: "content-filter", rawFinish: "PROHIBITED_CONTENT" }],
      usage: { inputFresh: 5, output: 0 },
      extra: { fields: { promptFeedback } },
    })
  })
})

describe("the Gemini citation decoder", () => {
  const web = (name: string): JsonObject => ({ web: { uri: `https://${name}`, title: name } })

  function citationsOf(parts: JsonValue[], candidate: JsonObject): unknown {
    const text = choiceOf(parts, candidate).parts.findLast((part) => part.type === "text")
    return text?.citations
  }

  test("converts positions from bytes to characters", () => {
    const groundingMetadata = {
      groundingChunks: [web("a"), web("b")],
      groundingSupports: [
        { segment: { endIndex: 7, text: "Größ" }, groundingChunkIndices: [0, 1, 9] },
        { segment: { startIndex: 8, endIndex: 17, text: "ist 😀!" }, groundingChunkIndices: [1] },
      ],
    }
    const choice = choiceOf([{ text: "Größe ist 😀!" }], { groundingMetadata })
    expect(choice.extra?.fields).toEqual({ groundingMetadata })
    expect(choice.parts).toEqual([
      {
        type: "text",
        text: "Größe ist 😀!",
        citations: [
          { url: "https://a", title: "a", start: 0, end: 4 },
          { url: "https://b", title: "b", start: 0, end: 4 },
          { url: "https://b", title: "b", start: 6, end: 13 },
        ],
      },
    ])
  })

  test("attaches citations to the last text and omits positions in earlier texts", () => {
    const groundingMetadata = {
      groundingChunks: [web("a")],
      groundingSupports: [
        { segment: { endIndex: 3, text: "one" }, groundingChunkIndices: [0] },
        { segment: { startIndex: 3, endIndex: 6, text: "two" }, groundingChunkIndices: [0] },
      ],
    }
    const parts = [{ text: "one" }, { text: "two", thoughtSignature: "s" }]
    expect(citationsOf(parts, { groundingMetadata })).toEqual([
      { url: "https://a", title: "a" },
      { url: "https://a", title: "a", start: 0, end: 3 },
    ])
  })

  test("moves positions to the words of the segment or omits them", () => {
    const groundingMetadata = {
      groundingChunks: [web("a")],
      groundingSupports: [
        { segment: { endIndex: 3, text: "two" }, groundingChunkIndices: [0] },
        { segment: { endIndex: 3, text: "six" }, groundingChunkIndices: [0] },
        { segment: {}, groundingChunkIndices: [0] },
      ],
    }
    expect(citationsOf([{ text: "one two" }], { groundingMetadata })).toEqual([
      { url: "https://a", title: "a", start: 4, end: 7 },
      { url: "https://a", title: "a" },
      { url: "https://a", title: "a" },
    ])
  })

  test("reads every kind of source, with or without a segment", () => {
    const groundingMetadata = {
      groundingChunks: [
        web("a"),
        { retrievedContext: { uri: "gs://b/doc", title: "doc", text: "the words" } },
        { maps: { uri: "https://maps", title: "place", text: "a place" } },
        { image: {} },
      ],
    }
    expect(citationsOf([{ text: "x" }], { groundingMetadata })).toEqual([
      { url: "https://a", title: "a" },
      { url: "gs://b/doc", title: "doc", quote: "the words" },
      { url: "https://maps", title: "place" },
    ])
  })

  test("reads citations under both of Gemini's field names", () => {
    const source = { startIndex: 4, endIndex: 7, uri: "https://a", license: "MIT" }
    const expected = [
      {
        url: "https://a",
        start: 4,
        end: 7,
        extra: { dialect: "gemini", fields: { license: "MIT" } },
      },
    ]
    const parts = [{ text: "one two" }]
    expect(citationsOf(parts, { citationMetadata: { citations: [source] } })).toEqual(expected)
    expect(citationsOf(parts, { citationMetadata: { citationSources: [source] } })).toEqual(
      expected,
    )
  })

  test("omits citations without text", () => {
    const groundingMetadata = { groundingChunks: [web("a")] }
    expect(choiceOf([], { groundingMetadata }).parts).toEqual([])
  })
})
