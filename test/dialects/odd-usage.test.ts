import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../src/canon/chat.ts"
import type { ChatDialect, FramePatcher, SseFrame } from "../../src/canon/dialect.ts"
import { type JsonObject, parseJsonObject } from "../../src/canon/json.ts"
import { totalInput, totalOutput, type Usage } from "../../src/canon/usage.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}
const PATCH = { model: "p/m", streamUsage: true }

interface Format {
  readonly dialect: ChatDialect
  /** The names of the members for input, output and total. */
  readonly names: readonly [string, string, string | undefined]
  response(usage: JsonObject): JsonObject
  frames(usage: JsonObject): readonly JsonObject[]
  /** Returns the usage that the caller receives. */
  usageIn(body: JsonObject): unknown
}

const RESPONSE = {
  id: "resp_1",
  status: "completed",
  output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }],
}

const FORMATS: readonly Format[] = [
  {
    dialect: OPENAI_CHAT,
    names: ["prompt_tokens", "completion_tokens", "total_tokens"],
    response: (usage) => ({
      choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }],
      usage,
    }),
    frames: (usage) => [
      { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] },
      { choices: [], usage },
    ],
    usageIn: ({ usage }) => usage,
  },
  {
    dialect: OPENAI_RESPONSES,
    names: ["input_tokens", "output_tokens", "total_tokens"],
    response: (usage) => ({ ...RESPONSE, usage }),
    frames: (usage) => [{ type: "response.completed", response: { ...RESPONSE, usage } }],
    usageIn: (body) => ((body["response"] ?? body) as JsonObject)["usage"],
  },
  {
    dialect: ANTHROPIC_MESSAGES,
    names: ["input_tokens", "output_tokens", undefined],
    response: (usage) => ({
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage,
    }),
    frames: (usage) => [
      { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 3 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
      { type: "message_stop" },
    ],
    usageIn: ({ usage }) => usage,
  },
  {
    dialect: GEMINI,
    names: ["promptTokenCount", "candidatesTokenCount", "totalTokenCount"],
    response: (usageMetadata) => ({
      candidates: [{ content: { parts: [{ text: "Hi" }], role: "model" }, finishReason: "STOP" }],
      usageMetadata,
    }),
    frames(usage) {
      return [this.response(usage)]
    },
    usageIn: ({ usageMetadata }) => usageMetadata,
  },
]

/**
 * Input, output and total as JSON text: negative, fractional and huge numbers, texts, and totals that are not the sum.
 */
const ODD: readonly (readonly [string, string, string])[] = [
  ["12", "9", "300"],
  ["12", "9", "20"],
  ["-12", "9", "-3"],
  ["12", "-9", "3"],
  ["12.5", "9.2", "21.7"],
  ["0", "9", "9"],
  ['"12"', '"9"', '"21"'],
  ["12", "9", "null"],
  ["12", "null", "12"],
  ["1e300", "9", "1e300"],
  ["12345678901234567890", "9", "12345678901234567899"],
]

function countedBy({ dialect }: Format, body: JsonObject): Usage | undefined {
  return dialect.decodeResult(structuredClone(body)).usage
}

function framesOf(all: readonly JsonObject[]): SseFrame[] {
  return all.map((json) => ({
    data: JSON.stringify(json),
    json,
    ...(typeof json["type"] === "string" && { event: json["type"] }),
  }))
}

function carriersOf(patcher: FramePatcher, frames: readonly SseFrame[]): JsonObject[] {
  return frames.flatMap((frame): JsonObject[] => {
    const { usageCarrier } = patcher.push(frame)
    return usageCarrier === undefined ? [] : [usageCarrier]
  })
}

/** Asserts that the caller receives the usage that the gateway counts. */
function expectCharged(format: Format, shown: unknown, counted: Usage | undefined): void {
  const usage = shown as Record<string, unknown>
  const [input, output, total] = format.names
  const charged = [totalInput(counted as Usage), totalOutput(counted as Usage)] as const
  expect([usage[input], usage[output] ?? 0]).toEqual([...charged])
  if (total !== undefined) expect(usage[total]).toBe(charged[0] + charged[1])
}

describe.each(FORMATS.map((format) => [format.dialect.id, format] as const))(
  "unusual usage from %s",
  (_, format) => {
    test.each([...ODD])(
      "shows the charged tokens for the counts %s, %s and %s",
      (input, output, total) => {
        const [inputName, outputName, totalName] = format.names
        const sum = totalName === undefined ? "" : `,"${totalName}":${total}`
        const usage =
          parseJsonObject(`{"${inputName}":${input},"${outputName}":${output}${sum}}`) ?? {}
        const body = format.response(usage)
        const counted = countedBy(format, body)
        format.dialect.patches.result(body, PATCH)
        expectCharged(format, format.usageIn(body), counted)

        const frames = framesOf(format.frames(usage))
        const decoder = format.dialect.decodeEvents(REQUEST)
        const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
        const metered = events.findLast((event) => event.type === "usage")
        const patcher = format.dialect.patches.frames(PATCH)
        const last = carriersOf(patcher, frames).at(-1) ?? {}
        expectCharged(format, format.usageIn(last), metered?.usage)
      },
    )
  },
)

test("the Anthropic patcher reports usage from the start event if the last event has no usage", () => {
  const [, , messages] = FORMATS
  const frames = framesOf(messages?.frames({}) ?? []).map((frame) =>
    frame.event === "message_delta"
      ? { ...frame, json: { type: "message_delta", delta: { stop_reason: "end_turn" } } }
      : frame,
  )
  const patcher = ANTHROPIC_MESSAGES.patches.frames(PATCH)
  const [last] = carriersOf(patcher, frames)
  expect(last?.["usage"]).toEqual({ output_tokens: 0 })
})
