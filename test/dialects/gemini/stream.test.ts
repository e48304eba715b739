import { describe, expect, test } from "bun:test"
import { foldEvents } from "../../../src/canon/fold.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { response, decodeFrames, frame, lastChunk, changes, chunk } from "./support.ts"

describe("the Gemini stream decoder", () => {
  test("reads text and usage in every frame, without an end marker", () => {
    const head = { responseId: "r1", modelVersion: "m", createTime: "2025-12-01T21:58:25Z" }
    const usage = (candidatesTokenCount: number): JsonObject => ({
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount, totalTokenCount: 9 },
    })
    const content = (text: string): JsonObject => ({ content: { parts: [{ text }] }, index: 0 })
    const decoder = GEMINI.decodeEvents()
    const first = decoder.push(frame({ ...head, ...usage(1), candidates: [content("Hel")] }))
    expect(decoder.finished).toBe(false)
    const last = decoder.push(
      frame({ ...head, ...usage(2), candidates: [{ ...content("lo"), finishReason: "STOP" }] }),
    )
    expect(decoder.finished).toBe(true)
    expect([...first, ...last, ...decoder.end()]).toMatchObject([
      { type: "start", id: "r1", model: "m", created: 1_764_626_305 },
      { type: "text-delta", choice: 0, text: "Hel" },
      { type: "usage", usage: { inputFresh: 3, output: 1 } },
      { type: "text-delta", choice: 0, text: "lo" },
      { type: "usage", usage: { inputFresh: 3, output: 2 } },
      { type: "finish", choice: 0, reason: "stop" },
    ])
  })

  test("does not parse a parsed frame again", () => {
    const json = response([{ text: "x" }])
    expect(changes({ data: "{broken", json })[0]).toEqual({
      type: "text-delta",
      choice: 0,
      text: "x",
    })
    expect(changes({ data: "" })).toEqual([])
  })

  test("separates candidates, and finishes only when every candidate has finished", () => {
    const decoder = GEMINI.decodeEvents()
    const candidate = (index: number, more: JsonObject = {}): JsonObject => ({
      candidates: [{ content: { parts: [{ text: String(index) }] }, index, ...more }],
    })
    decoder.push(frame(candidate(1)))
    decoder.push(frame(candidate(0, { finishReason: "STOP" })))
    expect(decoder.finished).toBe(false)
    decoder.push(frame(candidate(1, { finishReason: "MAX_TOKENS" })))
    expect(decoder.finished).toBe(true)
    expect(decoder.end()).toEqual([
      { type: "finish", choice: 1, reason: "length" },
      { type: "finish", choice: 0, reason: "stop" },
    ])
  })

  test("does not finish if the stream breaks", () => {
    const decoder = GEMINI.decodeEvents()
    expect(decoder.end()).toEqual([])
    decoder.push(chunk({ text: "a" }))
    expect(decoder.end()).toEqual([])
    expect(decoder.finished).toBe(false)
  })

  test("reads text that arrives after a finish reason", () => {
    const call = { functionCall: { name: "f", args: {} } }
    expect(changes(lastChunk(call), chunk({ text: "a" }), lastChunk()).slice(2)).toEqual([
      { type: "text-delta", choice: 0, text: "a" },
      { type: "finish", choice: 0, reason: "tool-calls" },
    ])
  })

  test("reports a rejected prompt", () => {
    const promptFeedback = { blockReason: "SAFETY", safetyRatings: [] }
    const usageMetadata = { promptTokenCount: 4, totalTokenCount: 4 }
    const decoder = GEMINI.decodeEvents()
    const events = decoder.push(frame({ promptFeedback, usageMetadata }))
    expect(decoder.finished).toBe(true)
    expect([...events, ...decoder.end()]).toMatchObject([
      { type: "start", extra: { dialect: "gemini", fields: { promptFeedback } } },
      { type: "usage", usage: { inputFresh: 4 } },
      { type: "finish", choice: 0, reason: "content-filter", rawReason: "SAFETY" },
    ])
  })
})

describe("the Gemini stream decoder of reasoning", () => {
  test("returns a signature directly before its part", () => {
    expect(
      changes(
        chunk({ text: "think", thought: true }),
        chunk({ text: "Hel" }),
        chunk({ text: "lo", thoughtSignature: "s1" }),
        chunk({ functionCall: { id: "1", name: "f", args: { a: 1 } }, thoughtSignature: "s2" }),
        lastChunk({ text: "", thoughtSignature: "s3" }),
      ),
    ).toEqual([
      { type: "reasoning-delta", choice: 0, text: "think" },
      { type: "text-delta", choice: 0, text: "Hel" },
      { type: "reasoning-signature", choice: 0, signature: "s1", signedBy: "gemini" },
      { type: "text-delta", choice: 0, text: "lo" },
      { type: "reasoning-signature", choice: 0, signature: "s2", signedBy: "gemini" },
      { type: "tool-call-start", choice: 0, call: 0, id: "1", name: "f" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: '{"a":1}' },
      { type: "reasoning-signature", choice: 0, signature: "s3", signedBy: "gemini" },
      { type: "finish", choice: 0, reason: "tool-calls" },
    ])
  })
})

test("the Gemini stream decoder estimates the length of thoughts from their signature", () => {
  const decoder = GEMINI.decodeEvents()
  const thoughtSignature = "x".repeat(400)
  const image = { inlineData: { mimeType: "image/png", data: "AAAA" }, thoughtSignature }
  decoder.push(chunk({ text: "Hm.", thought: true }))
  decoder.push(chunk({ text: "Hi", thoughtSignature }))
  expect(decoder.other.characters).toBe(397)
  decoder.push(chunk({ functionCall: { name: "f" }, thoughtSignature }))
  expect(decoder.other.characters).toBe(797)
  decoder.push(chunk(image))
  expect(decoder.other.characters).toBeLessThan(1_300)
})

describe("the Gemini stream decoder of other content", () => {
  test("keeps an unknown part as an extra", () => {
    const image = { inlineData: { mimeType: "image/png", data: "AAAA" }, thoughtSignature: "s1" }
    const source = { type: "base64", data: "AAAA", mediaType: "image/png" } as const
    const code = { executableCode: { code: "1" }, thoughtSignature: "s2" }
    const events = changes(chunk(image), lastChunk(code))
    expect(events).toEqual([
      { type: "reasoning-signature", choice: 0, signature: "s1", signedBy: "gemini" },
      { type: "media", choice: 0, media: { type: "image", source } },
      { type: "choice-extra", choice: 0, extra: { dialect: "gemini", fields: { parts: [code] } } },
      { type: "finish", choice: 0, reason: "stop" },
    ])
    const [choice] = foldEvents(events).choices
    expect(choice?.extra?.fields).toEqual({ parts: [code] })
    expect(choice?.parts.at(-1)).toEqual({ type: "image", source })
  })

  test("replaces extras of a candidate with later extras", () => {
    const rated = (avgLogprobs: number, more: JsonObject = {}): JsonObject => ({
      candidates: [{ content: {}, avgLogprobs, groundingMetadata: {}, safetyRatings: [], ...more }],
    })
    expect(changes(frame(rated(-1)), frame(rated(-2, { finishReason: "STOP" })))).toEqual([
      {
        type: "choice-extra",
        choice: 0,
        extra: { dialect: "gemini", fields: { avgLogprobs: -2 } },
      },
      { type: "finish", choice: 0, reason: "stop" },
    ])
  })

  test("reports citations when all text has arrived", () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://a" } }],
      groundingSupports: [
        { segment: { startIndex: 2, endIndex: 5, text: "üb" }, groundingChunkIndices: [0] },
      ],
    }
    const last = response([{ text: "b" }], { groundingMetadata })
    const events = changes(chunk({ text: "äü" }), frame(last))
    expect(events.slice(2)).toMatchObject([
      { type: "citation", choice: 0, citation: { url: "https://a", start: 1, end: 3 } },
      { type: "choice-extra", choice: 0 },
      { type: "finish", choice: 0, reason: "stop" },
    ])
  })
})

describe("the Gemini stream decoder of arguments streamed by Vertex", () => {
  const opened = { functionCall: { id: "1", name: "f", willContinue: true }, thoughtSignature: "s" }

  function more(...partialArgs: JsonObject[]): JsonObject {
    return { functionCall: { partialArgs, willContinue: true } }
  }

  function argumentsOf(...partialArgs: JsonObject[]): unknown {
    const events = changes(
      chunk(opened),
      chunk(more(...partialArgs)),
      lastChunk({ functionCall: {} }),
    )
    const delta = events.find(({ type }) => type === "tool-call-delta")
    return delta?.type === "tool-call-delta" ? JSON.parse(delta.arguments) : undefined
  }

  test("joins the arguments and reports them together", () => {
    expect(
      changes(
        chunk(opened),
        chunk(more({ jsonPath: "$.city", stringValue: "Bos", willContinue: true })),
        chunk(more({ jsonPath: "$.city", stringValue: "ton" })),
        chunk({ functionCall: {} }),
        chunk({ functionCall: { id: "2", name: "g", args: {} } }),
        lastChunk(),
      ),
    ).toEqual([
      { type: "reasoning-signature", choice: 0, signature: "s", signedBy: "gemini" },
      { type: "tool-call-start", choice: 0, call: 0, id: "1", name: "f" },
      { type: "tool-call-delta", choice: 0, call: 0, arguments: '{"city":"Boston"}' },
      { type: "tool-call-start", choice: 0, call: 1, id: "2", name: "g" },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: "{}" },
      { type: "finish", choice: 0, reason: "tool-calls" },
    ])
  })

  test("reports arguments of an unclosed call when another call starts or the stream ends", () => {
    const another = { functionCall: { id: "2", name: "g", willContinue: true } }
    const events = changes(
      chunk(opened),
      chunk(more({ jsonPath: "$.a", numberValue: 1 })),
      lastChunk(another),
    )
    expect(events.filter(({ type }) => type === "tool-call-delta")).toEqual([
      { type: "tool-call-delta", choice: 0, call: 0, arguments: '{"a":1}' },
      { type: "tool-call-delta", choice: 0, call: 1, arguments: "{}" },
    ])
  })

  test("reads every type of value and every form of path", () => {
    expect(
      argumentsOf(
        { jsonPath: "$.a.b[0].c", numberValue: 1.5 },
        { jsonPath: "$.a.b[1]", boolValue: false },
        { jsonPath: "$.a.b[2][0]", nullValue: "NULL_VALUE" },
        { jsonPath: "$['x y']", stringValue: "" },
        { jsonPath: '$["it\\"s"]', stringValue: "q" },
        { jsonPath: "$.größe", stringValue: "L" },
      ),
    ).toEqual({ a: { b: [{ c: 1.5 }, false, [null]] }, "x y": "", 'it"s': "q", größe: "L" })
  })

  test("skips a chunk without a path or a value", () => {
    expect(
      argumentsOf(
        { jsonPath: "$.list[0]", stringValue: "a" },
        { jsonPath: "$.list[1000000000]", stringValue: "b" },
        { jsonPath: "$.list.name", stringValue: "b" },
        { jsonPath: "$.other[5].a", stringValue: "b" },
        { jsonPath: "$.__proto__.polluted", stringValue: "b" },
        { jsonPath: "$", stringValue: "b" },
        { jsonPath: "city", stringValue: "b" },
        { jsonPath: "$.a[?(@.b)]", stringValue: "b" },
        { jsonPath: "$.nothing" },
        { stringValue: "b" },
      ),
    ).toEqual({ list: ["a"], other: [] })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test.skipIf(!HAS_FIXTURES)(`joins the arguments of recordings${WITHOUT_FIXTURES}`, () => {
    const calls = (file: string): unknown[] => {
      const lines = readFixture(`vercel-ai/google/${file}.chunks.txt`).trim().split("\n")
      const { choices } = foldEvents(decodeFrames(lines.map((data) => ({ data }))))
      const parts = choices[0]?.parts ?? []
      return parts.flatMap((part) =>
        part.type === "tool-call" ? [JSON.parse(part.arguments)] : [],
      )
    }
    expect(calls("google-stream-tool-call-arguments")).toEqual([
      { location: "Boston" },
      { location: "San Francisco" },
    ])
    const [{ recipe }] = calls("google-vertex-stream-tool-call-arguments-nested.1") as [
      { recipe: { name: string; ingredients: unknown[]; steps: string[] } },
    ]
    expect(recipe.name).toBe("Lasagna")
    expect(recipe.ingredients).toHaveLength(10)
    expect(recipe.ingredients[9]).toEqual({ amount: "1/2 tsp", name: "Pepper" })
    expect(recipe.steps[4]).toBe("In a 9x13 baking dish, spread a thin layer of meat sauce.")
  })
})

describe("the Gemini stream decoder of a failing stream", () => {
  test("reports an error", () => {
    const error = { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" }
    const expected = errorEvent({ message: error.message, code: "UNAVAILABLE" })
    expect(changes(chunk({ text: "a" }), frame({ error }))).toEqual([
      { type: "text-delta", choice: 0, text: "a" },
      expected,
    ])
    expect(changes(frame({ error: {} }))).toEqual([errorEvent({})])
  })

  test("reports invalid JSON", () => {
    const decoder = GEMINI.decodeEvents()
    expect(() => decoder.push({ data: "<html>" })).toThrow(GatewayError)
    expect(() => decoder.push({ data: '{"candidates": [' })).toThrow("not valid JSON")
  })

  test("ignores frames of an unknown shape", () => {
    const odd: JsonObject[] = [
      {},
      { candidates: "none" },
      { candidates: [null, 1, { content: [] }] },
      { candidates: [{ content: { parts: [null, "text", [], {}] } }] },
      { candidates: [{ content: { parts: [{ functionCall: "f" }, { inlineData: {} }] } }] },
      { usageMetadata: { trafficType: "ON_DEMAND" } },
    ]
    for (const body of odd) expect(() => changes(frame(body))).not.toThrow()
    expect(
      changes({ data: '{"candidates":[{"__proto__":{"a":1},"finishReason":"STOP"}]}' }),
    ).toEqual([{ type: "finish", choice: 0, reason: "stop" }])
  })
})
