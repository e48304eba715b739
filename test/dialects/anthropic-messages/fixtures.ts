import { readdirSync } from "node:fs"
import { createParser } from "eventsource-parser"
import type { ChatEvent, ChatRequest, ChatResult } from "../../../src/canon/chat.ts"
import type { ChatDialect, SseFrame } from "../../../src/canon/dialect.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { HAS_FIXTURES, recordedCalls } from "../../support/recordings.ts"

const ROOT = new URL("../../../../shared/fixtures/", import.meta.url)

export interface Recording {
  readonly file: string
  readonly status: number
  readonly request: JsonObject
  /** The JSON of a response that is not streamed, or the text of a stream. */
  readonly response: JsonObject | string
  /** Whether strings were shortened when the recording was made. */
  readonly isCut: boolean
}

/** Returns the names of the files in a folder of fixtures. The list is empty if the fixtures are absent. */
export function fixturesIn(folder: string, ending: string): string[] {
  if (!HAS_FIXTURES) return []
  return readdirSync(new URL(folder, ROOT))
    .filter((name) => name.endsWith(ending))
    .map((name) => folder + name)
    .toSorted()
}

/** Returns all recorded calls of Anthropic's own API, and of other APIs in its format. */
export function anthropicRecordings(address = /\/v1\/messages(\?|$)/): Recording[] {
  return recordedCalls(address).map(({ file, request, response }) => ({
    file,
    status: response.status,
    request: request.body?.json as JsonObject,
    response: (response.body?.json ?? response.body?.text) as JsonObject | string,
    isCut: JSON.stringify(request).includes("…[TRUNCATED"),
  }))
}

/** Parses the frames of a stream's text, which arrives in chunks of the given length. */
export function framesOf(text: string, chunkLength = text.length): SseFrame[] {
  const frames: SseFrame[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => frames.push(event === undefined ? { data } : { event, data }),
  })
  for (let start = 0; start < text.length; start += chunkLength) {
    parser.feed(text.slice(start, start + chunkLength))
  }
  parser.feed("\n\n")
  return frames
}

/** Returns frames with their parsed JSON, as the relay passes them on. */
export function parsed(frames: readonly SseFrame[]): SseFrame[] {
  return frames.map((frame) => ({ ...frame, json: JSON.parse(frame.data) }))
}

/** Parses frames of events that were stored one per line. */
export function framesOfLines(text: string): SseFrame[] {
  return text
    .trim()
    .split("\n")
    .map((line) => ({ event: JSON.parse(line).type, data: line }))
}

export function decodeStream(
  frames: readonly SseFrame[],
  dialect: ChatDialect = ANTHROPIC_MESSAGES,
  request?: ChatRequest,
): ChatEvent[] {
  const decoder = dialect.decodeEvents(request)
  const events = frames.flatMap((frame) => decoder.push(frame))
  return [...events, ...decoder.end()]
}

/** Returns the text, the thinking and the calls of a decoded result. */
export function readingOf(result: ChatResult): Reading {
  const reading: Reading = { text: "", thinking: "", calls: [] }
  for (const part of result.choices.flatMap(({ parts }) => parts)) {
    if (part.type === "text") reading.text += part.text
    if (part.type === "reasoning") reading.thinking += part.text
    if (part.type === "tool-call") {
      reading.calls.push({ id: part.id, name: part.name, input: JSON.parse(part.arguments) })
    }
  }
  return reading
}

export interface Reading {
  text: string
  thinking: string
  readonly calls: { id: string; name: string; input: unknown }[]
}

/** Returns the text, the thinking and the calls of an encoded message, without using the decoder. */
export function readingOfMessage(message: JsonObject): Reading {
  const reading: Reading = { text: "", thinking: "", calls: [] }
  for (const block of message.content as Record<string, string>[]) {
    if (block.type === "text") reading.text += block.text
    if (block.type === "thinking") reading.thinking += block.thinking
    if (block.type === "tool_use") {
      reading.calls.push({ id: block.id ?? "", name: block.name ?? "", input: block.input })
    }
  }
  return reading
}

/** Returns the message that the frames of a stream form, without using the decoder. */
export function messageOfFrames(frames: readonly SseFrame[]): JsonObject {
  let message: JsonObject = {}
  const content: JsonObject[] = []
  const inputs: string[] = []
  for (const { data } of frames) {
    const event = JSON.parse(data)
    if (event.type === "message_start" && message.id === undefined) {
      message = event.message
      content.push(...event.message.content)
    }
    if (event.type === "content_block_start") content[event.index] = { ...event.content_block }
    if (event.type === "content_block_delta") {
      const { delta, index } = event
      const block = content[index] ?? {}
      if (delta.type === "text_delta") block.text = String(block.text) + delta.text
      if (delta.type === "thinking_delta") block.thinking = String(block.thinking) + delta.thinking
      if (delta.type === "signature_delta") block.signature = delta.signature
      if (delta.type === "input_json_delta") {
        inputs[index] = (inputs[index] ?? "") + delta.partial_json
      }
      if (delta.type === "citations_delta") {
        block.citations = [...((block.citations as JsonObject[]) ?? []), delta.citation]
      }
    }
    if (event.type === "message_delta") {
      Object.assign(message, event.delta)
      message.usage = { ...(message.usage as JsonObject), ...event.usage }
    }
  }
  for (const [index, input] of inputs.entries()) {
    const block = content[index]
    if (block !== undefined && input) block.input = JSON.parse(input)
  }
  return { ...message, content }
}
