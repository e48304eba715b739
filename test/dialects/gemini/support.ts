import { createParser } from "eventsource-parser"
import type { ChatEvent, ChatRequest } from "../../../src/canon/chat.ts"
import type { Message } from "../../../src/canon/message.ts"
import type { SseFrame, UpstreamDialect } from "../../../src/canon/dialect.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/canon/json.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"

/** A model with the features of the current family. */
export const CURRENT_MODEL = "gemini-3-flash-preview"
/** A model that accepts thinking budgets and requires no signatures. */
export const EARLIER_MODEL = "gemini-2.5-flash"

export function chatRequest(fields: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: CURRENT_MODEL,
    messages: [asked("Hello")],
    stream: false,
    streamUsage: false,
    choices: 1,
    ...fields,
  }
}

export function asked(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] }
}

export function called(id: string, name = "weather", text = "{}"): Message {
  return { role: "assistant", parts: [{ type: "tool-call", id, name, arguments: text }] }
}

export function answered(id: string, text: string): Message {
  const content = [{ type: "text" as const, text }]
  return { role: "tool", parts: [{ type: "tool-result", id, content }] }
}

/** Returns the encoded body, and its losses in the form `name:effect`. */
export function encode(
  fields: Partial<ChatRequest>,
  dialect: UpstreamDialect = GEMINI,
): { body: JsonObject; losses: string[] } {
  const { body, losses } = dialect.encodeRequest(chatRequest(fields))
  return { body, losses: losses.map(({ name, effect }) => `${name}:${effect}`) }
}

/** Returns the encoded body, and asserts that there are no losses. */
export function encodeWhole(fields: Partial<ChatRequest>, dialect?: UpstreamDialect): JsonObject {
  const { body, losses } = encode(fields, dialect)
  if (losses.length > 0) throw new Error(`lost: ${losses.join(", ")}`)
  return body
}

/** Returns a response with one candidate. */
export function response(parts: JsonValue[], candidate: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { role: "model", parts }, finishReason: "STOP", ...candidate }] }
}

export function frame(body: JsonObject): SseFrame {
  return { data: JSON.stringify(body) }
}

/** Returns a chunk in the middle of a stream. */
export function chunk(...parts: JsonValue[]): SseFrame {
  return frame({ candidates: [{ content: { role: "model", parts }, index: 0 }] })
}

/** Returns the last chunk of a stream. */
export function lastChunk(...parts: JsonValue[]): SseFrame {
  return frame(response(parts, { index: 0 }))
}

export function decodeFrames(frames: readonly SseFrame[]): ChatEvent[] {
  const decoder = GEMINI.decodeEvents()
  return [...frames.flatMap((each) => decoder.push(each)), ...decoder.end()]
}

/** Returns the events without the start, which every stream has. */
export function changes(...frames: SseFrame[]): ChatEvent[] {
  return decodeFrames(frames).filter(({ type }) => type !== "start")
}

/** Parses the frames of a stream's text. It arrives in chunks whose lengths are repeated in turn. */
export function framesOf(text: string, lengths: readonly number[] = [text.length]): SseFrame[] {
  const frames: SseFrame[] = []
  const parser = createParser({ onEvent: ({ data }) => frames.push({ data }) })
  for (let start = 0, turn = 0; start < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1
    parser.feed(text.slice(start, start + length))
    start += length
  }
  parser.feed("\n\n")
  return frames
}

/** Replaces generated ids with numbers in their order, because the ids differ each time. */
export function withoutMintedIds<Value>(value: Value): Value {
  const ids = new Map<string, string>()
  const renamed = JSON.stringify(value).replaceAll(/"call_[A-Za-z0-9]{24}"/g, (id) => {
    if (!ids.has(id)) ids.set(id, `"minted-${ids.size}"`)
    return ids.get(id) ?? id
  })
  return JSON.parse(renamed) as Value
}

/** Returns the member of an object along a path of names and indexes. */
export function at(
  value: JsonValue | undefined,
  ...path: (string | number)[]
): JsonValue | undefined {
  let found = value
  for (const step of path) {
    if (Array.isArray(found) && typeof step === "number") found = found[step]
    else if (isJsonObject(found)) found = found[step]
    else return undefined
  }
  return found
}
