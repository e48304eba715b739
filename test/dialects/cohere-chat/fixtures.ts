import { createParser } from "eventsource-parser"
import type { ChatEvent, ChatRequest } from "../../../src/canon/chat.ts"
import type { Message, Part } from "../../../src/canon/message.ts"
import type { EventDecoder, SseFrame } from "../../../src/canon/dialect.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { nameOfRecording, recordedCalls } from "../../support/recordings.ts"

export const MODEL = "command-a-03-2025"

/** Returns a minimal request with the additions of a test. */
export function requestOf(more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: MODEL,
    messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
    stream: false,
    streamUsage: false,
    choices: 1,
    ...more,
  }
}

/** Returns a request with the given messages. */
export function conversation(...messages: Message[]): ChatRequest {
  return requestOf({ messages })
}

export function user(...parts: Part[]): Message {
  return { role: "user", parts }
}

export function assistant(...parts: Part[]): Message {
  return { role: "assistant", parts }
}

export function text(words: string): Part {
  return { type: "text", text: words }
}

/** Returns the encoded body, and its losses in the form `name:effect`. */
export function encoded(request: ChatRequest): { body: JsonObject; losses: string[] } {
  const { body, losses } = COHERE_CHAT.encodeRequest(request)
  return { body, losses: losses.map(({ name, effect }) => `${name}:${effect}`) }
}

/** Parses the frames of a stream's text, which arrives in chunks that end at the given positions. */
export function framesOf(stream: string, cuts: readonly number[] = []): SseFrame[] {
  const frames: SseFrame[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => frames.push(event === undefined ? { data } : { event, data }),
  })
  let start = 0
  for (const cut of [...cuts.toSorted((left, right) => left - right), stream.length]) {
    parser.feed(stream.slice(start, cut))
    start = cut
  }
  return frames
}

/** Returns all events of the frames, and whether the decoder read the end. */
export function decoded(
  frames: readonly SseFrame[],
  request?: ChatRequest,
): { events: ChatEvent[]; finished: boolean } {
  const decoder: EventDecoder = COHERE_CHAT.decodeEvents(request)
  const events = frames.flatMap((frame) => decoder.push(frame))
  events.push(...decoder.end())
  return { events, finished: decoder.finished }
}

/** Returns frames as Cohere writes them. The `event:` line also contains the type. */
export function framesFrom(...chunks: JsonObject[]): SseFrame[] {
  return chunks.map((json) => ({ event: String(json.type), data: JSON.stringify(json) }))
}

export interface Recording {
  readonly name: string
  readonly status: number
  readonly request: JsonObject
  /** The JSON of a response that is not streamed, or the text of a stream. */
  readonly response: JsonObject | string
}

/** Returns the recorded calls of `/v2/chat`. The list is empty if the folder is absent. */
export function recordings(): Recording[] {
  return recordedCalls(/\/v2\/chat$/).map(({ file, request, response }) => ({
    name: nameOfRecording(file),
    status: response.status,
    request: request.body?.json as JsonObject,
    response: (response.body?.json ?? response.body?.text) as JsonObject | string,
  }))
}
