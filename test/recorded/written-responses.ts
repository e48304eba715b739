import { messageFrame } from "../../simulator/bedrock-converse/event-frame.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import type { VendorResponse } from "./vendor-responses.ts"

/** How a response of a vendor ends, in the vendor's own terms. */
export interface Ending {
  /**
   * The finish reason. For openai-responses, it is the status. If the response is incomplete, a colon and the reason
   * follow.
   */
  readonly word: string
  readonly usage: JsonObject
  /** Whether the response calls the tool `clock`, which has no parameters. Otherwise, it contains "Hi". */
  readonly isCall?: boolean
  readonly stopSequence?: string
}

/** A usage in each dialect: 20 input tokens and 5 output tokens. */
export const USAGES: Readonly<Record<DialectId, JsonObject>> = {
  "openai-chat": { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 },
  "openai-responses": { input_tokens: 20, output_tokens: 5, total_tokens: 25 },
  "anthropic-messages": { input_tokens: 20, output_tokens: 5 },
  gemini: { promptTokenCount: 20, candidatesTokenCount: 5, totalTokenCount: 25 },
  "bedrock-converse": { inputTokens: 20, outputTokens: 5, totalTokens: 25 },
  "cohere-chat": { tokens: { input_tokens: 20, output_tokens: 5 } },
}

/** For each dialect, the vendor that defined it. */
export const VENDORS: Readonly<Record<DialectId, string>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  "anthropic-messages": "anthropic",
  gemini: "google",
  "bedrock-converse": "bedrock",
  "cohere-chat": "cohere",
}

/** Returns a response of a vendor, streamed or not. */
export function writtenResponse(
  id: string,
  dialect: DialectId,
  ending: Ending,
  isStream: boolean,
): VendorResponse {
  const { whole, stream } = WRITERS[dialect](ending)
  const response = { id, dialect, vendor: VENDORS[dialect], status: 200, isStream }
  if (isStream) return { ...response, ...streamOf(dialect, stream) }
  const headers = { "content-type": "application/json" }
  return { ...response, headers, body: JSON.stringify(whole) }
}

/** Returns the events of a stream that contains "Hi" or calls the tool, in the vendor's format. */
export function writtenEvents(dialect: DialectId, ending: Ending): readonly WrittenEvent[] {
  return WRITERS[dialect](ending).stream
}

/** One event of a stream. Text is sent unchanged. */
export type WrittenEvent = readonly [name: string, data: JsonObject] | string

/** Returns events as a vendor with the dialect sends them. */
export function streamOf(
  dialect: DialectId,
  events: readonly WrittenEvent[],
): Pick<VendorResponse, "headers" | "body"> {
  if (dialect === "bedrock-converse") {
    const frames = events.map((event) =>
      typeof event === "string"
        ? Buffer.from(event, "latin1")
        : messageFrame(event[0], JSON.stringify(event[1])),
    )
    const headers = { "content-type": "application/vnd.amazon.eventstream" }
    return { headers, body: Uint8Array.from(Buffer.concat(frames)) }
  }
  const text = events.map((event) => {
    if (typeof event === "string") return event
    const [name, data] = event
    return `${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
  })
  return { headers: { "content-type": "text/event-stream" }, body: text.join("") }
}

interface Written {
  readonly whole: JsonObject
  readonly stream: readonly WrittenEvent[]
}

const WRITERS: Readonly<Record<DialectId, (ending: Ending) => Written>> = {
  "openai-chat": writeCompletion,
  "openai-responses": writeResponse,
  "anthropic-messages": writeMessage,
  gemini: writeGemini,
  "bedrock-converse": writeConverse,
  "cohere-chat": writeCohere,
}

export const DONE = "data: [DONE]\n\n"

function writeCompletion({ word, usage, isCall }: Ending): Written {
  const head = { id: "chatcmpl-1", created: 1_700_000_000, model: "upstream" }
  const call = { id: "call_1", type: "function", function: { name: "clock", arguments: "" } }
  const said = isCall ? { content: null, tool_calls: [call] } : { content: "Hi" }
  const message = { role: "assistant", refusal: null, ...said }
  const chunk = (choice: JsonObject): WrittenEvent => [
    "",
    { ...head, object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] },
  ]
  const delta = isCall ? { tool_calls: [{ index: 0, ...call }] } : { content: "Hi" }
  return {
    whole: {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: word }],
      usage,
    },
    stream: [
      chunk({ delta: { role: "assistant", content: "" }, finish_reason: null }),
      chunk({ delta, finish_reason: null }),
      chunk({ delta: {}, finish_reason: word }),
      ["", { ...head, object: "chat.completion.chunk", choices: [], usage }],
      DONE,
    ],
  }
}

function writeResponse({ word, usage, isCall }: Ending): Written {
  const [status = "", reason] = word.split(":")
  const said = { type: "output_text", text: "Hi", annotations: [], logprobs: [] }
  const item = isCall
    ? {
        id: "fc_1",
        type: "function_call",
        call_id: "call_1",
        name: "clock",
        arguments: "{}",
        status,
      }
    : { id: "msg_1", type: "message", role: "assistant", status, content: [said] }
  const details = reason === undefined ? null : { reason }
  const head = { id: "resp_1", object: "response", created_at: 1_700_000_000, model: "upstream" }
  const started = { ...head, status: "in_progress", output: [], usage: null }
  const whole = {
    ...head,
    status,
    error: null,
    incomplete_details: details,
    output: [item],
    usage,
  }
  const event = (type: string, data: JsonObject): WrittenEvent => [type, { type, ...data }]
  const place = { item_id: item.id, output_index: 0 }
  const content = { ...place, content_index: 0 }
  const told: WrittenEvent[] = isCall
    ? [event("response.function_call_arguments.delta", { ...place, delta: "{}" })]
    : [
        event("response.content_part.added", { ...content, part: { ...said, text: "" } }),
        event("response.output_text.delta", { ...content, delta: "Hi", logprobs: [] }),
        event("response.content_part.done", { ...content, part: said }),
      ]
  const empty = isCall ? { ...item, arguments: "" } : { ...item, content: [] }
  return {
    whole,
    stream: numbered([
      event("response.created", { response: started }),
      event("response.in_progress", { response: started }),
      event("response.output_item.added", { output_index: 0, item: empty }),
      ...told,
      event("response.output_item.done", { output_index: 0, item }),
      event(`response.${status}`, { response: whole }),
    ]),
  }
}

/** Returns the events with their `sequence_number`. */
export function numbered(events: readonly WrittenEvent[]): WrittenEvent[] {
  return events.map((event, index) =>
    typeof event === "string" ? event : [event[0], { ...event[1], sequence_number: index }],
  )
}

function writeMessage({ word, usage, isCall, stopSequence }: Ending): Written {
  const head = { id: "msg_1", type: "message", role: "assistant", model: "upstream" }
  const ending = { stop_reason: word, stop_sequence: stopSequence ?? null }
  const call = { type: "tool_use", id: "toolu_1", name: "clock", input: {} }
  const block = isCall ? call : { type: "text", text: "Hi" }
  const start = isCall ? call : { type: "text", text: "" }
  const delta = isCall
    ? { type: "input_json_delta", partial_json: "" }
    : { type: "text_delta", text: "Hi" }
  const begun = { ...head, content: [], stop_reason: null, stop_sequence: null }
  const event = (type: string, data: JsonObject = {}): WrittenEvent => [type, { type, ...data }]
  return {
    whole: { ...head, content: [block], ...ending, usage },
    stream: [
      event("message_start", { message: { ...begun, usage: { ...usage, output_tokens: 1 } } }),
      event("content_block_start", { index: 0, content_block: start }),
      event("ping"),
      event("content_block_delta", { index: 0, delta }),
      event("content_block_stop", { index: 0 }),
      event("message_delta", { delta: ending, usage }),
      event("message_stop"),
    ],
  }
}

function writeGemini({ word, usage, isCall }: Ending): Written {
  const part = isCall ? { functionCall: { name: "clock" } } : { text: "Hi" }
  const response = (candidate: JsonObject, usageMetadata: JsonObject): JsonObject => ({
    candidates: [{ index: 0, ...candidate }],
    usageMetadata,
    modelVersion: "upstream",
    responseId: "answer-1",
  })
  const content = { role: "model", parts: [part] }
  // This vendor reports the count so far in each event.
  const early = { promptTokenCount: 20, candidatesTokenCount: 1, totalTokenCount: 21 }
  return {
    whole: response({ content, finishReason: word }, usage),
    stream: [
      ["", response({ content }, early)],
      ["", response({ content: {}, finishReason: word }, usage)],
    ],
  }
}

function writeConverse({ word, usage, isCall, stopSequence }: Ending): Written {
  const call = { toolUseId: "tooluse_1", name: "clock" }
  const content = isCall ? [{ toolUse: { ...call, input: {} } }] : [{ text: "Hi" }]
  const told = stopSequence === undefined ? undefined : { stop_sequence: stopSequence }
  const index = { contentBlockIndex: 0 }
  const delta = isCall ? { toolUse: { input: "" } } : { text: "Hi" }
  const start: WrittenEvent = ["contentBlockStart", { ...index, start: { toolUse: call } }]
  return {
    whole: {
      output: { message: { role: "assistant", content } },
      stopReason: word,
      ...(told && { additionalModelResponseFields: told }),
      usage,
    },
    stream: [
      ["messageStart", { role: "assistant", p: "abc" }],
      ...(isCall ? [start] : []),
      ["contentBlockDelta", { ...index, delta, p: "abcdefgh" }],
      ["contentBlockStop", { ...index, p: "ab" }],
      [
        "messageStop",
        { stopReason: word, ...(told && { additionalModelResponseFields: { delta: told } }) },
      ],
      ["metadata", { usage, metrics: { latencyMs: 10 } }],
    ],
  }
}

function writeCohere({ word, usage, isCall }: Ending): Written {
  const call = { id: "clock_1", type: "function", function: { name: "clock", arguments: "" } }
  const content = [{ type: "text", text: "Hi" }]
  const said = isCall ? { tool_calls: [call] } : { content }
  const event = (type: string, data: JsonObject): WrittenEvent => [type, { type, ...data }]
  const message = (index: number, inner: JsonObject): JsonObject => ({
    index,
    delta: { message: inner },
  })
  const told = isCall
    ? [
        event("tool-call-start", message(0, { tool_calls: call })),
        event("tool-call-end", { index: 0 }),
      ]
    : [
        event("content-start", message(0, { content: { type: "text", text: "" } })),
        event("content-delta", message(0, { content: { text: "Hi" } })),
        event("content-end", { index: 0 }),
      ]
  return {
    whole: { id: "answer-1", finish_reason: word, message: { role: "assistant", ...said }, usage },
    stream: [
      event("message-start", { id: "answer-1", delta: { message: { role: "assistant" } } }),
      ...told,
      event("message-end", { delta: { finish_reason: word, usage } }),
      DONE,
    ],
  }
}
