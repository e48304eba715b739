/** Responses in each dialect, and streams with the same content. */
import { streamed } from "./scripted-vendor.ts"

type Json = Record<string, unknown>

const sse = (event: string | undefined, data: unknown): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

/** Responds with a response. It is streamed if the request asks for a stream. */
export function respond(path: string, body: Json | undefined, answer: Json): Response {
  const isStream = path.includes(":stream") || body?.["stream"] === true
  return isStream ? streamed(framesOf(path, answer)) : Response.json(answer)
}

/** Returns the frames of a stream with the given response. */
export function framesOf(path: string, answer: Json): string[] {
  if (path.includes(":streamGenerateContent")) return [sse(undefined, answer)]
  if (path.endsWith("/responses")) return responseFrames(answer)
  return path.endsWith("/messages") ? messageFrames(answer) : chatFrames(answer)
}

function responseFrames(response: Json): string[] {
  const items = response["output"] as Json[]
  const begun = {
    ...response,
    status: "in_progress",
    output: [],
    usage: null,
    service_tier: "auto",
  }
  const events: Json[] = [{ type: "response.created", response: begun }]
  for (const [index, item] of items.entries()) {
    events.push({ type: "response.output_item.added", output_index: index, item })
    events.push({ type: "response.output_item.done", output_index: index, item })
  }
  events.push({ type: "response.completed", response })
  return events.map((event, number) =>
    sse(String(event["type"]), { ...event, sequence_number: number }),
  )
}

function messageFrames(message: Json): string[] {
  const { content, usage, stop_reason: reason, container, ...rest } = message
  const { input_tokens: input } = (usage ?? {}) as Json
  const begun = {
    ...rest,
    content: [],
    stop_reason: null,
    ...(input !== undefined && { usage: { input_tokens: 1, output_tokens: 1 } }),
  }
  const events: Json[] = [{ type: "message_start", message: begun }]
  for (const [index, block] of (content as Json[]).entries()) {
    const { text, ...start } = block
    events.push({
      type: "content_block_start",
      index,
      content_block: text === undefined ? start : { ...start, text: "" },
    })
    if (text !== undefined) {
      const delta = { type: "text_delta", text }
      events.push({ type: "content_block_delta", index, delta })
    }
    events.push({ type: "content_block_stop", index })
  }
  const delta = { stop_reason: reason, stop_sequence: null, ...(container ? { container } : {}) }
  events.push({ type: "message_delta", delta, usage }, { type: "message_stop" })
  return events.map((event) => sse(String(event["type"]), event))
}

function chatFrames(completion: Json): string[] {
  const { choices, usage, ...rest } = completion
  const chunk = { ...rest, object: "chat.completion.chunk" }
  const frames = (choices as Json[]).flatMap(({ index, message, finish_reason: reason }) => [
    { ...chunk, choices: [{ index, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index, delta: {}, finish_reason: reason }] },
  ])
  const last = { ...chunk, choices: [], usage }
  return [...[...frames, last].map((frame) => sse(undefined, frame)), "data: [DONE]\n\n"]
}

/** Returns a response of the Responses API with the given items before its text. */
export function response(items: readonly Json[], more: Json = {}): Json {
  const text = { type: "output_text", text: "Hello", annotations: [], logprobs: [] }
  const message = { type: "message", id: "msg_1", role: "assistant", status: "completed" }
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "up",
    output: [...items, { ...message, content: [text] }],
    usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
    ...more,
  }
}

/** Returns a message of Anthropic with the given blocks before its text. */
export function message(blocks: readonly Json[], usage: Json = {}, more: Json = {}): Json {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "up",
    content: [...blocks, { type: "text", text: "Hello" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10, ...usage },
    ...more,
  }
}

/** Returns a chat completion. */
export function completion(more: Json = {}, usage: Json = {}, said: Json = {}): Json {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "up",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello", ...said },
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, ...usage },
    ...more,
  }
}

/** Returns a response of the API at a path, with this text and exactly this usage. */
export function textResponse(path: string, text: string, usage: Json | undefined): Json {
  if (path.includes("enerateContent")) {
    const content = { role: "model", parts: [{ text }] }
    const candidates = [{ content, finishReason: "STOP", index: 0 }]
    return { candidates, usageMetadata: usage, modelVersion: "m" }
  }
  if (path.endsWith("/messages")) {
    return { ...message([]), content: [{ type: "text", text }], usage }
  }
  return { ...completion({}, {}, { content: text }), usage }
}
