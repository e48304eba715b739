import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { ChatRequest } from "../../src/canon/chat.ts"
import type { UpstreamDialect } from "../../src/canon/dialect.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { BytePlaces } from "../../src/dialects/gemini/citations/byte-places.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { CLIENTS } from "../golden/dialects.ts"
import { threadTime } from "../support/processor-time.ts"

const REQUEST: ChatRequest = {
  model: "vendor/model",
  messages: [],
  stream: false,
  streamUsage: true,
  choices: 1,
}
const SOURCE = { uri: "https://example.com", title: "Example" }
const COUNT = 4_000
const TEXT = "é".repeat(200_000)
/** Maximum time in milliseconds that other callers may wait. Quadratic work would take many seconds. */
const MAX_PAUSE_MS = 1_000

function gemini(groundingChunks: JsonObject[], groundingSupports: JsonObject[]): JsonObject {
  const candidate = { index: 0, content: { role: "model", parts: [{ text: TEXT }] } }
  return {
    candidates: [
      {
        ...candidate,
        finishReason: "STOP",
        groundingMetadata: { groundingChunks, groundingSupports },
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }
}

function many<T>(make: (index: number) => T): T[] {
  return Array.from({ length: COUNT }, (_, index) => make(index))
}

const cited = { groundingChunkIndices: [0] }
const RESPONSES: Readonly<Record<string, readonly [UpstreamDialect, JsonObject]>> = {
  "Gemini's positions": [
    GEMINI,
    gemini(
      [{ web: SOURCE }],
      many((startIndex) => ({ ...cited, segment: { startIndex, endIndex: TEXT.length } })),
    ),
  ],
  "Gemini's positions with other words": [
    GEMINI,
    gemini(
      [{ web: SOURCE }],
      many((startIndex) => ({
        ...cited,
        segment: { startIndex, endIndex: TEXT.length, text: "none of it" },
      })),
    ),
  ],
  "one long source of Gemini": [
    GEMINI,
    gemini(
      [{ retrievedContext: { ...SOURCE, text: TEXT } }],
      many(() => cited),
    ),
  ],
  "annotations of a chat": [
    OPENAI_CHAT,
    {
      id: "chatcmpl-1",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: TEXT,
            annotations: many((index) => ({
              type: "url_citation",
              url_citation: {
                url: `https://example.com/${index}`,
                title: "Example",
                start_index: 0,
                end_index: TEXT.length,
              },
            })),
          },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  ],
}

describe("translation of thousands of citations of a long text", () => {
  for (const [name, [vendor, response]] of Object.entries(RESPONSES)) {
    test(`takes almost linear time: ${name}`, () => {
      const written = JSON.stringify(response).length
      const taken = threadTime(() => {
        const result = vendor.decodeResult(response, REQUEST)
        for (const client of CLIENTS) {
          const told = JSON.stringify(client.encodeResult({ ...result, model: "m" }, REQUEST))
          expect(told.length).toBeLessThan(written + 20_000_000)
        }
      }, MAX_PAUSE_MS)
      expect(taken).toBeLessThan(MAX_PAUSE_MS)
    })
  }
})

function placesOf(text: string): BytePlaces {
  const places = new BytePlaces()
  places.append(text)
  return places
}

describe("conversion of citation positions between characters and bytes", () => {
  const texts = fc
    .array(fc.constantFrom("a", "é", "日", "🙂", "x".repeat(1_022), "🙂".repeat(600)), {
      maxLength: 12,
    })
    .map((chunks) => chunks.join(""))

  test("returns correct positions while text is appended", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, place, cut) => {
        const length = cut % (text.length + 1)
        const places = placesOf(text.slice(0, length))
        places.byteAt(0)
        places.append(text.slice(length))
        const character = [...text].slice(0, place % (text.length + 1)).join("").length
        const byte = Buffer.byteLength(text.slice(0, character))
        expect(places.byteAt(character)).toBe(byte)
        expect(places.characterAt(byte)).toBe(character)
        expect(places.slice(length, character)).toBe(
          text.slice(length, Math.max(length, character)),
        )
      }),
    )
  })

  test("moves positions outside the text to the nearest end of the text", () => {
    const places = placesOf("né".repeat(2_000))
    expect([-1, Number.NaN, 1e308].map((place) => places.byteAt(place))).toEqual([0, 0, 6_000])
    expect([-1, 1e308].map((place) => places.characterAt(place))).toEqual([0, 4_000])
  })
})
