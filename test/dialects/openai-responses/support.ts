import OpenAI from "openai"
import { createParser } from "eventsource-parser"
import type { ChatEvent, ChatRequest, ChatResult } from "../../../src/canon/chat.ts"
import type { Message, Part } from "../../../src/canon/message.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"

export const REQUEST: ChatRequest = {
  model: "vendor/model",
  messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
  stream: true,
  streamUsage: true,
  choices: 1,
}

export function requestOf(fields: Partial<ChatRequest>): ChatRequest {
  return { ...REQUEST, ...fields }
}

export function conversation(...messages: Message[]): ChatRequest {
  return requestOf({ messages })
}

export function text(words: string): Part {
  return { type: "text", text: words }
}

export function user(...parts: Part[]): Message {
  return { role: "user", parts }
}

export function assistant(...parts: Part[]): Message {
  return { role: "assistant", parts }
}

/** Returns the frames for a stream of events, including the last frames. */
export function encodeStream(events: readonly ChatEvent[], request = REQUEST): SseFrame[] {
  const encoder = OPENAI_RESPONSES.encodeEvents(request)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

export function decodeStream(frames: readonly SseFrame[]): ChatEvent[] {
  const decoder = OPENAI_RESPONSES.decodeEvents()
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

/** Returns the events of a response that is not streamed. */
export function eventsOf({ id, model, created, choices, usage }: ChatResult): ChatEvent[] {
  const events: ChatEvent[] = [
    {
      type: "start",
      ...(id === undefined ? {} : { id }),
      ...(model === undefined ? {} : { model }),
      ...(created === undefined ? {} : { created }),
    },
  ]
  for (const { index, parts, finish } of choices) {
    for (const [position, part] of parts.entries())
      events.push(...partEvents(part, index, position))
    events.push({ type: "finish", choice: index, reason: finish })
  }
  if (usage !== undefined) events.push({ type: "usage", usage })
  return events
}

function partEvents(part: Part, choice: number, call: number): ChatEvent[] {
  switch (part.type) {
    case "text":
      return [
        ...halves(part.text).map((half) => ({ type: "text-delta", choice, text: half }) as const),
        ...(part.citations ?? []).map(
          (citation) => ({ type: "citation", choice, citation }) as const,
        ),
      ]
    case "refusal":
      return halves(part.text).map((half) => ({ type: "refusal-delta", choice, text: half }))
    case "reasoning": {
      const { signature, signedBy } = part
      const told: ChatEvent[] = halves(part.text).map((half) => ({
        type: "reasoning-delta",
        choice,
        text: half,
      }))
      if (signature === undefined || signedBy === undefined) return told
      return [...told, { type: "reasoning-signature", choice, signature, signedBy }]
    }
    case "tool-call":
      return [
        { type: "tool-call-start", choice, call, id: part.id, name: part.name },
        ...halves(part.arguments).map(
          (half) => ({ type: "tool-call-delta", choice, call, arguments: half }) as const,
        ),
      ]
    default:
      return []
  }
}

function halves(whole: string): string[] {
  const middle = Math.ceil(whole.length / 2)
  return [whole.slice(0, middle), whole.slice(middle)].filter((half) => half !== "")
}

export function jsonOf(frames: readonly SseFrame[]): JsonObject[] {
  return frames.map(({ data }) => JSON.parse(data))
}

/** Returns the response that the last frame of a stream contains. */
export function lastResponse(frames: readonly SseFrame[]): JsonObject {
  const response = jsonOf(frames).at(-1)?.response
  if (!isJsonObject(response)) throw new Error("the stream ends without a response")
  return response
}

/** Returns the text of the frames. */
export function wireOf(frames: readonly SseFrame[]): string {
  return frames
    .map(({ event, data }) => `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`)
    .join("")
}

/** Parses the frames of a stream's text, which arrives in chunks of the given length. */
export function framesOf(wire: string, chunkLength = wire.length): SseFrame[] {
  const frames: SseFrame[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => frames.push(event === undefined ? { data } : { event, data }),
  })
  for (let start = 0; start < wire.length; start += chunkLength) {
    parser.feed(wire.slice(start, start + chunkLength))
  }
  parser.feed("\n\n")
  return frames
}

/** Returns frames with their parsed JSON, as the relay passes them on. */
export function parsed(frames: readonly SseFrame[]): SseFrame[] {
  return frames.map((frame) =>
    frame.data.startsWith("{") ? { ...frame, json: JSON.parse(frame.data) } : frame,
  )
}

/** Returns the result that the official client reads from the frames. */
export function readByClient(frames: readonly SseFrame[]) {
  return readWireByClient(wireOf(frames))
}

export async function readWireByClient(wire: string) {
  const client = new OpenAI({
    apiKey: "test",
    maxRetries: 0,
    fetch: async () => new Response(wire, { headers: { "content-type": "text/event-stream" } }),
  })
  return await client.responses.stream({ model: "m", input: "Hello" }).finalResponse()
}
