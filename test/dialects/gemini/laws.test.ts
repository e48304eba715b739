import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { ChatResult } from "../../../src/canon/chat.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { Message } from "../../../src/canon/message.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/canon/json.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"
import { asked, at, CURRENT_MODEL, decodeFrames, encode, frame } from "./support.ts"

const words = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" })
const signature = fc.stringMatching(/^[A-Za-z0-9+/]{8}$/)
const name = fc.stringMatching(/^[a-z_]{1,8}$/)

/** Generates parts with and without a signature. If it is absent, the member is missing and not undefined. */
function signed(part: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(part, fc.option(signature, { nil: undefined, freq: 2 }))
    .map(([value, proof]) => (proof === undefined ? value : { ...value, thoughtSignature: proof }))
}

const text = signed(words.map((written) => ({ text: written })))
const thought = words.map((written) => ({ text: written, thought: true }))
const call = signed(
  fc
    .tuple(name, fc.uuid(), fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true }))
    .map(([called, id, args]) => ({
      functionCall: { name: called, args: JSON.parse(JSON.stringify(args)) as JsonObject, id },
    })),
)
const parts = fc.array(fc.oneof(text, thought, call), { maxLength: 8 })
const reason = fc.constantFrom("STOP", "MAX_TOKENS", "SAFETY", "OTHER")
const usageMetadata = fc.record({
  promptTokenCount: fc.nat(1000),
  candidatesTokenCount: fc.nat(1000),
  thoughtsTokenCount: fc.nat(1000),
  totalTokenCount: fc.nat(3000),
})
const responseArbitrary = fc
  .tuple(fc.array(parts, { minLength: 1, maxLength: 3 }), reason, usageMetadata)
  .map(([candidates, finishReason, counted]) => ({
    responseId: "r",
    modelVersion: "m",
    candidates: candidates.map((content, index) => ({
      content: { role: "model", parts: content },
      finishReason,
      index,
    })),
    usageMetadata: counted,
  }))

type ResponseValue = typeof responseArbitrary extends fc.Arbitrary<infer Value> ? Value : never

/**
 * Returns the chunks that a server could send for a response. Each part, or each half of a text, is a separate chunk.
 */
function stream({ candidates, usageMetadata: counted, ...head }: ResponseValue): SseFrame[] {
  const chunks = candidates.flatMap(({ content, finishReason, index }) => {
    const halves = content.parts.flatMap(halve)
    const sent = halves.map((part) => ({ content: { role: "model", parts: [part] }, index }))
    return [...sent, { content: {}, finishReason, index }]
  })
  const usage = { usageMetadata: counted }
  return chunks.map((candidate) => frame({ ...head, candidates: [candidate], ...usage }))
}

function halve(part: JsonObject): JsonObject[] {
  if (typeof part.text !== "string" || part.thoughtSignature !== undefined) return [part]
  const middle = Math.ceil(part.text.length / 2)
  return [
    { ...part, text: part.text.slice(0, middle) },
    { ...part, text: part.text.slice(middle) },
  ]
}

test("a Gemini stream decodes to the same response as the complete response", () => {
  fc.assert(
    fc.property(responseArbitrary, (response) => {
      const whole = wholeOf(response)
      if (whole === undefined) {
        expect(() => foldEvents(decodeFrames(stream(response)))).toThrow("failed while it wrote")
        return
      }
      expect(foldEvents(decodeFrames(stream(response)))).toEqual(whole)
      expect(foldEvents(decodeFrames([frame(response)]))).toEqual(whole)
    }),
  )
})

/** Returns the decoded response; undefined if the model has failed to generate it. */
function wholeOf(response: JsonObject): ChatResult | undefined {
  try {
    return GEMINI.decodeResult(response)
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError)
    return undefined
  }
}

/** Returns the response in the form in which the next request repeats it. */
function replayed(result: ChatResult): JsonValue[] {
  const said: Message = { role: "assistant", parts: result.choices[0]?.parts ?? [] }
  const { body } = encode({ messages: [asked("a"), said, asked("b")], model: CURRENT_MODEL })
  const shown = at(body, "contents", 1, "parts")
  return at(body, "contents", 1, "role") === "model" && Array.isArray(shown) ? shown : []
}

/** Returns the parts without thoughts, and with adjacent texts joined. Other parts must be equal. */
function plain(given: readonly JsonObject[]): JsonObject[] {
  const kept: JsonObject[] = []
  let isJoined = false
  for (const part of given) {
    const isText = typeof part.text === "string" && part.thought !== true
    const last = kept.at(-1)
    if (part.thought === true) isJoined = false
    else if (isText && isJoined && part.thoughtSignature === undefined && last !== undefined) {
      last.text = `${String(last.text)}${String(part.text)}`
    } else {
      kept.push({ ...part })
      isJoined = isText
    }
  }
  return kept
}

describe("a Gemini response that the caller sends back", () => {
  test("omits thoughts and keeps each signature on its part", () => {
    fc.assert(
      fc.property(parts, (given) => {
        const body = { candidates: [{ content: { parts: given }, finishReason: "STOP" }] }
        const shown = replayed(GEMINI.decodeResult(body)).filter(isJsonObject)
        expect(shown).toEqual(plain(given))
      }),
    )
  })
})
