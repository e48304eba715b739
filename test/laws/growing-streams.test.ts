import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../src/canon/chat.ts"
import type { ClientDialect, SseFrame, UpstreamDialect } from "../../src/canon/dialect.ts"
import type { JsonObject, JsonValue } from "../../src/canon/json.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { CLIENTS, UPSTREAMS } from "../golden/dialects.ts"
import { IS_EXHAUSTIVE, sampleOf } from "../support/exhaustive.ts"
import { expectBelow, threadTime } from "../support/processor-time.ts"
import { changed, isRejected, pathsIn } from "./large-members.ts"

/**
 * The time for a frame must be proportional to its own size, however large earlier frames were. Each member of each
 * frame is made large once. Then many small frames of the same kind follow.
 */

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}
const SMALL_FRAMES = 400
/** Numbers of elements in a large list, of members in a large object, and of characters in a large text. */
const LARGE = { elements: 20_000, members: 9_000, characters: 2_000_000 }
/**
 * Maximum time in milliseconds for all small frames together. If a large member is copied for each of them, they take
 * many times as long.
 */
const MAX_MS = 400

const TOKEN = { token: "a", logprob: -0.1, bytes: [97], top_logprobs: [{ token: "a", logprob: 0 }] }
const CHAT_HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" }

/** One frame of each kind, by the format of the provider. */
const FRAMES: Readonly<Record<string, readonly JsonObject[]>> = {
  "openai-chat": [
    {
      ...CHAT_HEAD,
      choices: [
        {
          index: 0,
          delta: {
            content: "a",
            reasoning_content: "b",
            annotations: [
              { type: "url_citation", url_citation: { url: "u", start_index: 0, end_index: 1 } },
            ],
            reasoning_details: [{ type: "reasoning.text", text: "c" }],
          },
          logprobs: { content: [TOKEN] },
        },
      ],
    },
    {
      ...CHAT_HEAD,
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, id: "c", function: { arguments: "1" } }] } },
      ],
    },
    { ...CHAT_HEAD, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, details: {} } },
  ],
  "openai-responses": [
    {
      type: "response.output_text.delta",
      item_id: "m",
      output_index: 0,
      content_index: 0,
      delta: "a",
      logprobs: [TOKEN],
    },
    {
      type: "response.output_text.annotation.added",
      item_id: "m",
      output_index: 0,
      content_index: 0,
      annotation: { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 },
    },
  ],
  "anthropic-messages": [
    {
      type: "message_delta",
      delta: { container: { id: "x" } },
      usage: { output_tokens: 1, iterations: [{ type: "compaction", output_tokens: 1 }] },
    },
  ],
  gemini: [
    {
      candidates: [
        {
          index: 0,
          content: { parts: [{ text: "a" }] },
          logprobsResult: {
            chosenCandidates: [{ token: "a", logProbability: 0 }],
            topCandidates: [{ candidates: [{ token: "a", logProbability: 0 }] }],
          },
          groundingMetadata: {
            groundingChunks: [{ web: { uri: "u", title: "t" } }],
            groundingSupports: [
              { segment: { startIndex: 0, endIndex: 1 }, groundingChunkIndices: [0] },
            ],
          },
          safetyRatings: [{ category: "x" }],
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, details: [{}] },
    },
    {
      candidates: [
        {
          index: 0,
          content: {
            parts: [
              {
                functionCall: {
                  partialArgs: [{ jsonPath: "$.a.b", stringValue: "c" }],
                  willContinue: true,
                },
              },
            ],
          },
        },
      ],
    },
  ],
  "cohere-chat": [
    {
      type: "content-delta",
      index: 0,
      delta: { message: { content: { text: "a" } } },
      logprobs: { token_ids: [1], text: "a", logprobs: [0] },
    },
    {
      type: "citation-start",
      index: 0,
      delta: { message: { citations: { start: 0, end: 1, text: "a", sources: [{ id: "s" }] } } },
    },
  ],
}

/** The frame that begins a call, for frames that continue a call. */
const FIRST: Readonly<Record<string, JsonObject>> = {
  gemini: {
    candidates: [
      {
        index: 0,
        content: { parts: [{ functionCall: { name: "f", willContinue: true, args: {} } }] },
      },
    ],
  },
}

/** Yields copies of a frame. In each copy, one member is large. */
function* largeFrames(frame: JsonObject): Generator<[string, JsonObject]> {
  for (const path of pathsIn(frame)) yield [path.join("."), changed(frame, path, large)]
}

function large(value: JsonValue): JsonValue {
  if (typeof value === "string") return value + "x".repeat(LARGE.characters)
  if (Array.isArray(value)) return Array.from({ length: LARGE.elements }, () => value[0] ?? 0)
  const others = Array.from({ length: LARGE.members }, (_, index) => [`member_${index}`, 1])
  return { ...(value as JsonObject), ...Object.fromEntries(others) }
}

/** Freezes a frame. A frame may be passed on after it is decoded, so decoders must not change it. */
function deepFrozen<Value extends JsonValue>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) deepFrozen(inner as JsonValue)
    Object.freeze(value)
  }
  return value
}

function frameOf(json: JsonObject): SseFrame {
  const event = typeof json["type"] === "string" ? { event: json["type"] } : {}
  const data = JSON.stringify(json)
  return { ...event, data, json: deepFrozen(JSON.parse(data) as JsonObject) }
}

/** Returns the time in milliseconds for the small frames that follow a large frame. */
function timeAfter(
  upstream: UpstreamDialect,
  big: JsonObject,
  small: JsonObject,
  clients: readonly ClientDialect[],
): number {
  return Math.max(
    ...clients.map((client) => {
      const decoder = upstream.decodeEvents(REQUEST)
      const encoder = client.encodeEvents({ ...REQUEST, model: "m" })
      const pass = (frame: SseFrame) => {
        for (const event of decoder.push(frame)) encoder.push(event)
      }
      const first = FIRST[upstream.id]
      if (first) pass(frameOf(first))
      if (isRejected(() => pass(frameOf(big)))) return 0
      const frames = Array.from({ length: SMALL_FRAMES }, () => frameOf(small))
      return threadTime(() => frames.forEach(pass), MAX_MS)
    }),
  )
}

describe.each(UPSTREAMS.filter(({ id }) => id in FRAMES).map((each) => [each.id, each] as const))(
  "streams of %s",
  (id, upstream) => {
    const cases = (FRAMES[id] ?? []).flatMap((small, number) =>
      sampleOf([...largeFrames(small)], 2, number).map(([path, big], index) => {
        const place = index % CLIENTS.length
        // Each case uses another client. `npm run test:all` tests all clients.
        const clients = IS_EXHAUSTIVE ? CLIENTS : CLIENTS.slice(place, place + 1)
        return { path, big, small, clients }
      }),
    )
    test.each(cases)(
      "process small frames quickly after a large $path",
      ({ big, small, clients }) => {
        expectBelow(timeAfter(upstream, big, small, clients), MAX_MS)
      },
    )
  },
)

describe("streamed arguments of Gemini", () => {
  const call = (jsonPaths: readonly string[]) =>
    frameOf({
      candidates: [
        {
          index: 0,
          content: {
            parts: [
              {
                functionCall: {
                  willContinue: true,
                  partialArgs: jsonPaths.map((jsonPath) => ({ jsonPath, stringValue: "a" })),
                },
              },
            ],
          },
        },
      ],
    })
  const read = (frame: SseFrame) => {
    const decoder = GEMINI.decodeEvents(REQUEST)
    decoder.push(frameOf(FIRST["gemini"] ?? {}))
    decoder.push(frame)
    return decoder.end()
  }

  test("omit a path of a million steps quickly", () => {
    const frame = call([`$${".a".repeat(1_000_000)}`, "$.b"])
    expectBelow(
      threadTime(() => read(frame), 100),
      100,
    )
    expect(JSON.stringify(read(frame))).toContain('{\\"b\\":\\"a\\"}')
  })

  test("end with an error after 100,000 steps", () => {
    const deep = `$${".a".repeat(60)}`
    expect(() => read(call(Array.from({ length: 1_800 }, () => deep)))).toThrow(
      "more than 100,000 steps of arguments",
    )
  })
})
