import type { DialectId } from "../../src/canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import { eventsOf, type StreamEvent } from "./read-stream.ts"
import { list, object } from "./reading.ts"

/** The complete response that a stream forms, assembled without the gateway's code. */
export interface StreamedWhole {
  readonly body: JsonObject
  /** The error in the stream. */
  readonly error?: JsonObject
  /** Whether the stream contained its end marker. */
  readonly isOver: boolean
}

/**
 * Assembles a response.
 * @param stream the stream as received. Bedrock's streams are binary.
 */
export function wholeOf(dialect: DialectId, stream: string | Uint8Array): StreamedWhole {
  const events = typeof stream === "string" ? eventsOf(stream) : binaryEvents(stream)
  return READERS[dialect](events.filter(({ data }) => data !== "[DONE]").map(parsed))
}

/** Assembles one of Google's responses from its chunks. */
export function wholeOfChunks(chunks: readonly JsonObject[]): JsonObject {
  return geminiResponseOf(chunks.map((data) => ({ event: undefined, data }))).body
}

interface Chunk {
  readonly event: string | undefined
  readonly data: JsonObject
}

function parsed({ event, data }: StreamEvent): Chunk {
  return { event, data: JSON.parse(data) as JsonObject }
}

type Reader = (chunks: readonly Chunk[]) => StreamedWhole

const READERS: Readonly<Record<DialectId, Reader>> = {
  "openai-chat": completionOf,
  "openai-responses": responseOf,
  "anthropic-messages": messageOf,
  gemini: geminiResponseOf,
  "bedrock-converse": converseResponseOf,
  "cohere-chat": cohereResponseOf,
}

function completionOf(chunks: readonly Chunk[]): StreamedWhole {
  const choices: { message: JsonObject; finish_reason?: JsonValue }[] = []
  let usage: JsonValue | undefined
  for (const { data } of chunks) {
    if (isJsonObject(data.error)) {
      return { body: { choices: closed(choices), usage }, error: data.error, isOver: false }
    }
    usage = toldBy(data) ?? usage
    for (const { index, delta, finish_reason: reason } of list(data.choices)) {
      const choice = (choices[Number(index)] ??= { message: { content: "", tool_calls: [] } })
      addDelta(choice.message, object(delta))
      if (typeof reason === "string") choice.finish_reason = reason
    }
  }
  const isOver = choices.length > 0 && choices.every(({ finish_reason: reason }) => reason)
  return { body: { choices: closed(choices), usage }, isOver }
}

function closed(choices: readonly { message: JsonObject }[]): JsonValue {
  return choices.map(({ message }) => ({ message }))
}

function toldBy(chunk: JsonObject): JsonObject | undefined {
  if (isJsonObject(chunk.usage)) return chunk.usage
  const { usage } = object(chunk.x_groq)
  return isJsonObject(usage) ? usage : undefined
}

function addDelta(message: JsonObject, delta: JsonObject): void {
  const { content, refusal, tool_calls: calls, function_call: called } = delta
  const chunks = list(content).filter(({ type }) => type === "text")
  const text = typeof content === "string" ? content : chunks.map((chunk) => chunk.text).join("")
  message.content = String(message.content) + text
  if (typeof refusal === "string") message.refusal = String(message.refusal ?? "") + refusal
  const known = list(message.tool_calls)
  for (const [position, { index, id, function: part }] of list(calls).entries()) {
    const place = index === undefined ? placeOf(known, id, position) : Number(index)
    const call = (known[place] ??= { id, function: { name: "", arguments: "" } })
    addCall(object(call.function), object(part))
  }
  message.tool_calls = known
  if (!isJsonObject(called)) return
  const call = object(message.function_call ?? { name: "", arguments: "" })
  addCall(call, called)
  message.function_call = call
}

/**
 * Returns the position of a call. Mistral may omit the index (docs/contribute/wire/openai-chat.md#f20). In that case,
 * the call is identified by its id or its position.
 */
function placeOf(
  known: readonly JsonObject[],
  id: JsonValue | undefined,
  position: number,
): number {
  const place = known.findIndex((call) => call.id === id)
  if (place >= 0) return place
  return id === undefined ? position : known.length
}

function addCall(call: JsonObject, part: JsonObject): void {
  if (typeof part.name === "string" && call.name === "") call.name = part.name
  const written = isJsonObject(part.arguments) ? JSON.stringify(part.arguments) : part.arguments
  call.arguments = String(call.arguments) + String(written ?? "")
}

/**
 * Returns the complete response. It is in the last event. If a vendor omits items there, they are taken from earlier
 * events.
 */
function responseOf(chunks: readonly Chunk[]): StreamedWhole {
  const items: JsonObject[] = []
  for (const { data } of chunks) {
    const { type, item, output_index: index, response } = data
    if (type === "response.output_item.done") items[Number(index)] = object(item)
    if (type === "error") return { body: { output: items }, error: data, isOver: false }
    if (type === "response.completed" || type === "response.incomplete") {
      const { output, ...rest } = object(response)
      return { body: { ...rest, output: list(output).length > 0 ? output : items }, isOver: true }
    }
    if (type === "response.failed") {
      return { body: object(response), error: object(object(response).error), isOver: false }
    }
  }
  return { body: { output: items }, isOver: false }
}

function messageOf(chunks: readonly Chunk[]): StreamedWhole {
  const content: JsonObject[] = []
  let usage: JsonObject = {}
  let isOver = false
  for (const { event, data } of chunks) {
    const { type, index, content_block: block, delta, message } = data
    if (event === "error") return { body: { content, usage }, error: data, isOver: false }
    if (type === "message_start" && Object.keys(usage).length === 0) {
      content.push(...list(object(message).content))
      usage = object(object(message).usage)
    }
    if (type === "content_block_start") content[Number(index)] = { ...object(block) }
    if (type === "content_block_delta") addBlockDelta(object(content[Number(index)]), object(delta))
    if (type === "message_delta") {
      const told = Object.entries(object(data.usage)).filter(([, value]) => value !== null)
      usage = { ...usage, ...Object.fromEntries(told) }
      isOver ||= typeof object(delta).stop_reason === "string"
    }
    if (type === "message_stop") isOver = true
  }
  return { body: { content, usage }, isOver }
}

function addBlockDelta(block: JsonObject, { type, text, partial_json: written }: JsonObject): void {
  if (type === "text_delta") block.text = String(block.text ?? "") + String(text)
  if (type !== "input_json_delta") return
  const before = typeof block.input === "string" ? block.input : ""
  block.input = before + String(written)
}

function geminiResponseOf(chunks: readonly Chunk[]): StreamedWhole {
  const candidates: {
    content: { parts: JsonObject[]; role?: JsonValue }
    finishReason?: JsonValue
  }[] = []
  let usageMetadata: JsonValue | undefined
  let isOver = false
  for (const { data } of chunks) {
    if (isJsonObject(data.error)) {
      return { body: { candidates: [], usageMetadata }, error: data.error, isOver: false }
    }
    const { totalTokenCount: total } = object(data.usageMetadata)
    if (total !== undefined) usageMetadata = data.usageMetadata
    for (const [position, { index, content, finishReason }] of list(data.candidates).entries()) {
      const place = typeof index === "number" ? index : position
      const candidate = (candidates[place] ??= { content: { parts: [] } })
      for (const part of list(object(content).parts)) addPart(candidate.content.parts, part)
      const { role } = object(content)
      if (role !== undefined) candidate.content.role = role
      if (finishReason !== undefined) candidate.finishReason = finishReason
      isOver ||= finishReason !== undefined
    }
    isOver ||= object(data.promptFeedback).blockReason !== undefined
  }
  return { body: { candidates: candidates as unknown as JsonValue, usageMetadata }, isOver }
}

/** Adds a part. If arguments arrive in pieces, only the first part names the function. */
function addPart(parts: JsonObject[], part: JsonObject): void {
  const { functionCall: call } = part
  const isMore = isJsonObject(call) && call.name === undefined
  if (!isMore) parts.push(part)
  const last = object(parts.at(-1)?.functionCall)
  for (const { jsonPath: path, ...value } of list(object(call).partialArgs)) {
    // The path has the form `$.recipe.steps[0]`.
    last.args = withArgument(last.args, String(path).match(/[^$.[\]]+/g) ?? [], value)
  }
}

function withArgument(
  whole: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  value: JsonObject,
): JsonValue {
  if (step === undefined) {
    const { stringValue: text, numberValue: number, boolValue: flag } = value
    return typeof text === "string" ? String(whole ?? "") + text : (number ?? flag ?? null)
  }
  if (!/^\d+$/.test(step)) {
    const before = object(whole)
    return { ...before, [step]: withArgument(before[step], rest, value) }
  }
  const items = Array.isArray(whole) ? [...whole] : []
  items[Number(step)] = withArgument(items[Number(step)], rest, value)
  return items
}

function converseResponseOf(chunks: readonly Chunk[]): StreamedWhole {
  const content: JsonObject[] = []
  let usage: JsonValue | undefined
  let isOver = false
  for (const { event, data } of chunks) {
    const index = Number(data.contentBlockIndex)
    if (event === "contentBlockStart") {
      const { toolUse } = object(data.start)
      content[index] = isJsonObject(toolUse) ? { toolUse: { ...toolUse, input: "" } } : {}
    }
    if (event === "contentBlockDelta") addConverseDelta((content[index] ??= {}), object(data.delta))
    if (event === "messageStop") isOver = true
    if (event === "metadata") usage = data.usage
  }
  return { body: { output: { message: { content } }, usage }, isOver }
}

function addConverseDelta(block: JsonObject, { text, toolUse }: JsonObject): void {
  if (typeof text === "string") block.text = String(block.text ?? "") + text
  const call = object(block.toolUse)
  if (isJsonObject(toolUse)) call.input = String(call.input) + String(toolUse.input)
}

function cohereResponseOf(chunks: readonly Chunk[]): StreamedWhole {
  let text = ""
  const calls: JsonObject[] = []
  let usage: JsonValue | undefined
  let isOver = false
  for (const { data } of chunks) {
    const { type, delta } = data
    const message = object(object(delta).message)
    if (type === "content-delta") text += String(object(message.content).text ?? "")
    const call = object(message.tool_calls)
    if (type === "tool-call-start") calls.push(structuredClone(call))
    if (type === "tool-call-delta") {
      const last = object(calls.at(-1)?.function)
      last.arguments = String(last.arguments) + String(object(call.function).arguments)
    }
    if (type === "message-end") {
      usage = object(delta).usage
      isOver = true
    }
  }
  const content = [{ type: "text", text }]
  return { body: { message: { content, tool_calls: calls }, usage }, isOver }
}

const PRELUDE = 12
const CHECKSUM = 4
const EVENT_TYPE = ":event-type"

/**
 * Parses frames of `application/vnd.amazon.eventstream`: lengths, headers and payload. The checksums are not checked
 * (docs/contribute/wire/bedrock-converse.md#f5).
 */
function binaryEvents(bytes: Uint8Array): StreamEvent[] {
  const events: StreamEvent[] = []
  const buffer = Buffer.from(bytes)
  let start = 0
  while (start < buffer.length) {
    const end = start + buffer.readUInt32BE(start)
    const payload = start + PRELUDE + buffer.readUInt32BE(start + 4)
    // The header's name is followed by its type, and by the length of its value in two bytes.
    const type = buffer.indexOf(EVENT_TYPE, start) + EVENT_TYPE.length
    const value = type + 3
    const event = buffer.toString("latin1", value, value + buffer.readUInt16BE(type + 1))
    events.push({ event, data: buffer.toString("utf8", payload, end - CHECKSUM) })
    start = end
  }
  return events
}
