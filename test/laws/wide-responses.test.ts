import { describe, expect, test } from "bun:test"
import type { ChatRequest, ChatResult } from "../../src/canon/chat.ts"
import type { UpstreamDialect } from "../../src/canon/dialect.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import { foldEvents } from "../../src/canon/fold.ts"
import { isJsonObject, type JsonObject, parseExactly } from "../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { BEDROCK_CONVERSE } from "../../src/dialects/bedrock-converse/index.ts"
import { COHERE_CHAT } from "../../src/dialects/cohere-chat/index.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"
import { CLIENTS } from "../golden/dialects.ts"
import { processorTime } from "../support/processor-time.ts"

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}
const CLIP = Buffer.alloc(3_000).toString("base64")

/**
 * Maximum ratio of the times if the size is four times as large. The ratio is 4 if the work is linear, and 16 if it is
 * quadratic.
 */
const MAX_GROWTH = 9
/** Minimum time in milliseconds. Shorter times are not compared. */
const MIN_COMPARED_MS = 50
const ATTEMPTS = 3

function list<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function chunk(delta: JsonObject, more: JsonObject = {}): JsonObject {
  return { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta }], ...more }
}

function candidate(parts: JsonObject[]): JsonObject {
  return { candidates: [{ index: 0, content: { role: "model", parts } }] }
}

/** The frames of a provider, and a large number of them to test. */
interface Shape {
  readonly dialect: UpstreamDialect
  readonly large: number
  readonly frames: (count: number) => JsonObject[]
}

const SHAPES: Readonly<Record<string, Shape>> = {
  "pieces of a clip": {
    dialect: OPENAI_CHAT,
    large: 1_600,
    frames: (count) => list(count, () => chunk({ audio: { id: "a", data: CLIP } })),
  },
  "pieces of a clip of Gemini": {
    dialect: GEMINI,
    large: 1_600,
    frames: (count) =>
      list(count, () => candidate([{ inlineData: { mimeType: "audio/pcm", data: CLIP } }])),
  },
  "unknown members of a delta": {
    dialect: OPENAI_CHAT,
    large: 9_000,
    frames: (count) => {
      const members = Object.fromEntries(list(count, (index) => [`m${index}`, "x"]))
      return [{ id: "c", choices: [{ index: 0, delta: { content: "x", ...members }, ...members }] }]
    },
  },
  "marks of sources": {
    dialect: OPENAI_CHAT,
    large: 2_000_000,
    frames: (count) => [
      chunk({ content: "x" }, { citations: ["https://x.test/"] }),
      chunk({ content: "[9]".repeat(count) }),
      { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    ],
  },
  "sources of many choices": {
    dialect: OPENAI_CHAT,
    large: 20_000,
    frames: (count) => {
      const citations = list(count, (index) => `https://x.test/${index}`)
      const choices = list(count / 20, (index) => ({
        index,
        delta: { content: "x" },
        finish_reason: "stop",
      }))
      return [{ id: "c", object: "chat.completion.chunk", citations, choices }]
    },
  },
}

/** Decodes a stream into a complete response, and encodes the response for every client. */
function translate({ dialect }: Shape, frames: readonly string[]): void {
  try {
    const decoder = dialect.decodeEvents(REQUEST)
    const events = frames.flatMap((data) => {
      const json = parseExactly(data)
      return isJsonObject(json) ? decoder.push({ data, json }) : []
    })
    const result: ChatResult = foldEvents([...events, ...decoder.end()])
    for (const client of CLIENTS) JSON.stringify(client.encodeResult(result, REQUEST))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
  }
}

describe("responses of providers with many members", () => {
  test.each(Object.entries(SHAPES))("can be translated in linear time: %s", (_, shape) => {
    const written = (count: number) => shape.frames(count).map((frame) => JSON.stringify(frame))
    const large = written(shape.large)
    const small = written(shape.large / 4)
    // The measurement is repeated, because a garbage collection can take longer than the work.
    let growth = Infinity
    for (let attempt = 0; attempt < ATTEMPTS && growth >= MAX_GROWTH; attempt++) {
      const time = processorTime(() => translate(shape, large), Infinity)
      if (time < MIN_COMPARED_MS) return
      growth = time / processorTime(() => translate(shape, small), Infinity)
    }
    expect(growth).toBeLessThan(MAX_GROWTH)
  })

  const DATA = "aGk="
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${DATA}` } }
  const call = { type: "image_generation_call", status: "completed", result: DATA }
  const done = (output: JsonObject[]) => ({ object: "response", status: "completed", output })

  test.each<[string, () => unknown]>([
    [
      "in a chat",
      () =>
        OPENAI_CHAT.decodeResult(
          {
            choices: [
              { index: 0, message: { role: "assistant", images: list(1_001, () => image) } },
            ],
          },
          REQUEST,
        ),
    ],
    [
      "in a streamed chat",
      () => {
        const decoder = OPENAI_CHAT.decodeEvents(REQUEST)
        for (const json of list(1_001, () => chunk({ images: [image] }))) {
          decoder.push({ data: "", json })
        }
      },
    ],
    ["in a response", () => OPENAI_RESPONSES.decodeResult(done(list(1_001, () => call)), REQUEST)],
    [
      "in Gemini's format",
      () =>
        GEMINI.decodeResult(
          candidate(list(1_001, () => ({ inlineData: { mimeType: "image/png", data: DATA } }))),
          REQUEST,
        ),
    ],
  ])("fail if they have more than 1,000 images: %s", (_, read) => {
    expect(read).toThrow("more than 1,000 images")
  })

  const named = { name: "f", arguments: "{}" }
  const calling = { id: "t", type: "function", function: named }
  const use = { toolUseId: "t", name: "f", input: {} }
  const block = { type: "tool_use", id: "t", name: "f", input: {} }
  const item = { type: "function_call", call_id: "t", ...named }
  const part = { functionCall: { name: "f", args: {} } }
  const said = (type: string, index: number, more: JsonObject) => ({ type, index, ...more })

  test.each<
    [string, UpstreamDialect, (calls: number) => JsonObject, (index: number) => JsonObject]
  >([
    [
      "chat completions",
      OPENAI_CHAT,
      (calls) => ({ choices: [{ index: 0, message: { tool_calls: list(calls, () => calling) } }] }),
      (index) => chunk({ tool_calls: [{ index, ...calling }] }),
    ],
    [
      "responses",
      OPENAI_RESPONSES,
      (calls) => done(list(calls, () => item)),
      (index) => ({
        type: "response.output_item.done",
        output_index: index,
        sequence_number: index + 1,
        item,
      }),
    ],
    [
      "messages",
      ANTHROPIC_MESSAGES,
      (calls) => ({ content: list(calls, () => block), stop_reason: "tool_use" }),
      (index) => said("content_block_start", index, { content_block: block }),
    ],
    ["Gemini", GEMINI, (calls) => candidate(list(calls, () => part)), () => candidate([part])],
    [
      "Cohere",
      COHERE_CHAT,
      (calls) => ({
        message: { tool_calls: list(calls, () => calling) },
        finish_reason: "TOOL_CALL",
      }),
      (index) => said("tool-call-start", index, { delta: { message: { tool_calls: calling } } }),
    ],
    [
      "Converse",
      BEDROCK_CONVERSE,
      (calls) => ({
        output: { message: { content: list(calls, () => ({ toolUse: use })) } },
        stopReason: "tool_use",
      }),
      (index) => ({ contentBlockIndex: index, start: { toolUse: use } }),
    ],
  ])("fail if they have more than 1,000 tool calls: %s", (_, dialect, whole, frame) => {
    const read = (calls: number) => () => dialect.decodeResult(whole(calls), REQUEST)
    expect(read(1_000)).not.toThrow()
    expect(read(1_001)).toThrow("more than 1,000 tool calls")
    const decoder = dialect.decodeEvents(REQUEST)
    const push = (index: number) => () => {
      const json = frame(index)
      const event = typeof json.type === "string" ? json.type : "contentBlockStart"
      decoder.push({ event, data: JSON.stringify(json), json })
    }
    for (let index = 0; index < 1_000; index++) push(index)()
    expect(push(1_000)).toThrow("more than 1,000 tool calls")
  })
})
