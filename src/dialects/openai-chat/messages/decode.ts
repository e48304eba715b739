import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  emptyArray,
  invalidType,
  missingParameter,
  unsupportedValue,
} from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { CacheMarker, Message, Part, ToolResultPart } from "../../../canon/message.ts"
import { takeCache } from "../cache.ts"
import { citeText } from "../citations.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeFunctionCall, decodeToolCalls, LegacyCalls } from "./decode-calls.ts"
import { decodeContent, isToolContent } from "./decode-parts.ts"
import { imagesIn } from "../media.ts"
import { decodeReasoning, joinParts } from "../reasoning/details.ts"

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"] as const

const PLAIN_FIELDS = new Set(["role", "content", "name"])
const TOOL_FIELDS = new Set(["role", "content", "name", "tool_call_id"])
const ASSISTANT_FIELDS = new Set([
  "role",
  "content",
  "name",
  "refusal",
  "tool_calls",
  "function_call",
  "reasoning_content",
  "reasoning",
  "reasoning_details",
])
/** The fields of an assistant message that contains images. */
const DRAWING_FIELDS = new Set([...ASSISTANT_FIELDS, "images"])

/** Decodes the messages of a request and validates them in the same pass, because every request needs both. */
export function decodeMessages(value: JsonValue | undefined): Message[] {
  if (value === undefined || value === null) throw missingParameter("messages")
  if (!Array.isArray(value)) throw invalidType("messages", "an array of objects", value)
  if (value.length === 0) throw emptyArray("messages")
  const messages: Message[] = []
  const legacy = new LegacyCalls()
  for (let index = 0; index < value.length; index++) {
    const message = value[index]
    if (!isJsonObject(message)) throw invalidType(`messages[${index}]`, "an object", message)
    messages.push(decodeMessage(message, index, legacy))
  }
  return messages
}

function decodeMessage(message: JsonObject, index: number, legacy: LegacyCalls): Message {
  const { role } = message
  switch (role) {
    case "system":
    case "developer":
    case "user":
      return decodePlain(message, role, index)
    case "assistant":
      return decodeAssistant(message, index, legacy)
    case "tool":
      return decodeToolAnswer(message, index)
    case "function":
      return decodeFunctionAnswer(message, index, legacy)
    default:
  }
  const name = `messages[${index}].role`
  if (role === undefined) throw missingParameter(name)
  if (typeof role !== "string") throw invalidType(name, "a string", role)
  throw unsupportedValue(name, role, ROLES)
}

function decodePlain(
  message: JsonObject,
  role: "system" | "developer" | "user",
  index: number,
): Message {
  const decoded: Writable<Message> = { role, parts: decodeContent(message.content, index) }
  return withRest(decoded, message, PLAIN_FIELDS, index)
}

function decodeAssistant(message: JsonObject, index: number, legacy: LegacyCalls): Message {
  const { content, refusal } = message
  const said: Part[] = []
  if (content !== null && (content !== undefined || needsContent(message))) {
    said.push(...decodeContent(content, index))
  }
  const annotations = citeText(said, message.annotations)
  if (typeof refusal === "string" && refusal !== "") said.push({ type: "refusal", text: refusal })
  const images = imagesIn(message)
  if (images !== undefined) said.push(...images)
  const calls = decodeToolCalls(message.tool_calls, index)
  if (isJsonObject(message.function_call)) {
    calls.push(decodeFunctionCall(message.function_call, index, legacy))
  }
  const reasoning = hasReasoning(message) ? decodeReasoning(message) : []
  const parts = joinParts(reasoning, said, calls)
  const rest = message.annotations === undefined ? message : { ...message, annotations }
  const known = images === undefined ? ASSISTANT_FIELDS : DRAWING_FIELDS
  return withRest({ role: "assistant", parts }, rest, known, index)
}

function hasReasoning(message: JsonObject): boolean {
  return (
    message.reasoning_content !== undefined ||
    message.reasoning !== undefined ||
    message.reasoning_details !== undefined
  )
}

/** Whether an assistant message needs content. It does not if it contains something else, such as calls. */
function needsContent(message: JsonObject): boolean {
  const { tool_calls: calls, function_call: call, audio, images, refusal } = message
  if (Array.isArray(calls) || isJsonObject(call) || isJsonObject(audio)) return false
  if (Array.isArray(images) && images.length > 0) return false
  return typeof refusal !== "string" && !hasReasoning(message)
}

function decodeToolAnswer(message: JsonObject, index: number): Message {
  const name = `messages[${index}].tool_call_id`
  const id = message.tool_call_id
  if (id === undefined) throw missingParameter(name)
  if (typeof id !== "string") throw invalidType(name, "a string", id)
  const content = decodeContent(message.content, index)
  const result: Writable<ToolResultPart> = {
    type: "tool-result",
    id,
    content: content.filter(isToolContent),
  }
  const others = listAt(message, "content").filter((_, part) => !isToolContent(content[part]))
  if (others.length > 0) result.extra = extraOf(DIALECT, { content: others })
  return withRest({ role: "tool", parts: [result] }, message, TOOL_FIELDS, index)
}

function decodeFunctionAnswer(message: JsonObject, index: number, legacy: LegacyCalls): Message {
  const { name } = message
  if (typeof name !== "string") throw missingParameter(`messages[${index}].name`)
  const content = message.content === null ? [] : decodeContent(message.content, index)
  const origin = { form: "legacy", name } as const
  const response: Part = {
    type: "tool-result",
    id: legacy.last(name),
    content: content.filter(isToolContent),
    origin,
  }
  return { role: "tool", parts: [response] }
}

const MARKED: ReadonlySet<Part["type"]> = new Set([
  "text",
  "image",
  "file",
  "tool-call",
  "tool-result",
])

/** Adds the name of the speaker, and the message's other members. */
function withRest(
  decoded: Writable<Message>,
  message: JsonObject,
  known: ReadonlySet<string>,
  index: number,
): Message {
  const { name } = message
  if (typeof name === "string") decoded.name = name
  else if (name !== undefined && name !== null) {
    throw invalidType(`messages[${index}].name`, "a string", name)
  }
  const unknown = unknownFields(message, known)
  if (unknown === undefined) return decoded
  const { cache, extra } = takeCache(unknown)
  if (cache === undefined) decoded.extra = extraOf(DIALECT, unknown)
  else {
    const parts = marked(decoded.parts, cache)
    if (parts !== undefined) decoded.parts = parts
    const rest = parts === undefined ? unknown : extra
    if (rest !== undefined) decoded.extra = extraOf(DIALECT, rest)
  }
  return decoded
}

/** Applies a cache marker for an entire message to its last part; undefined if no part can have a marker. */
function marked(parts: readonly Part[], cache: CacheMarker): Part[] | undefined {
  const last = parts.findLastIndex(({ type }) => MARKED.has(type))
  if (last < 0) return undefined
  return parts.map((part, index) => (index === last ? ({ cache, ...part } as Part) : part))
}
