import type {
  CacheMarker,
  Message,
  Part,
  ToolCallPart,
  ToolResultPart,
} from "../../../canon/message.ts"
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
import { textArguments } from "../../shared/text-tool.ts"
import { takeCache } from "../cache.ts"
import { citeText } from "../citations.ts"
import { decodeContent, isToolContent } from "./decode-parts.ts"
import { decodeReasoning, joinParts } from "../reasoning/text.ts"
import type { Draft } from "../../../canon/draft.ts"
import { DIALECT } from "../identifiers.ts"
import { wrongMember, requiredText } from "../../shared/validation.ts"

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
const CALL_FIELDS = new Set(["id", "type", "index", "function"])

const CUSTOM_CALL_FIELDS = new Set(["id", "type", "index", "custom"])

/** The messages of a request, judged as they are read: one pass, on the path of every request. */
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
  const decoded: Draft<Message> = { role, parts: decodeContent(message.content, index) }
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
  const calls = decodeToolCalls(message.tool_calls, index)
  if (isJsonObject(message.function_call)) {
    calls.push(decodeFunctionCall(message.function_call, index, legacy))
  }
  const reasoning = hasReasoning(message) ? decodeReasoning(message) : []
  const parts = joinParts(reasoning, said, calls)
  const rest = message.annotations === undefined ? message : { ...message, annotations }
  return withRest({ role: "assistant", parts }, rest, ASSISTANT_FIELDS, index)
}

function hasReasoning(message: JsonObject): boolean {
  return (
    message.reasoning_content !== undefined ||
    message.reasoning !== undefined ||
    message.reasoning_details !== undefined
  )
}

/** An assistant that did something else need not have said anything. */
function needsContent(message: JsonObject): boolean {
  const { tool_calls: calls, function_call: call, audio, refusal } = message
  if (Array.isArray(calls) || isJsonObject(call) || isJsonObject(audio)) return false
  return typeof refusal !== "string" && !hasReasoning(message)
}

function decodeToolAnswer(message: JsonObject, index: number): Message {
  const name = `messages[${index}].tool_call_id`
  const id = message.tool_call_id
  if (id === undefined) throw missingParameter(name)
  if (typeof id !== "string") throw invalidType(name, "a string", id)
  const content = decodeContent(message.content, index)
  const result: Draft<ToolResultPart> = {
    type: "tool-result",
    id,
    content: content.filter(isToolContent),
  }
  const others = listAt(message, "content").filter((_, part) => !isToolContent(content[part]))
  if (others.length > 0) result.extra = extraOf(DIALECT, { content: others })
  return withRest({ role: "tool", parts: [result] }, message, TOOL_FIELDS, index)
}

/** Calls in the older form have no ids: an answer is to the last call of its function. */
class LegacyCalls {
  #calls: Map<string, number> | undefined

  /** @returns the id of one more call, which no other has. */
  call(name: string): string {
    const calls = (this.#calls ??= new Map())
    calls.set(name, (calls.get(name) ?? 0) + 1)
    return this.last(name)
  }

  last(name: string): string {
    const count = this.#calls?.get(name) ?? 1
    return count === 1 ? name : `${name}_${count}`
  }
}

function decodeFunctionAnswer(message: JsonObject, index: number, legacy: LegacyCalls): Message {
  const { name } = message
  if (typeof name !== "string") throw missingParameter(`messages[${index}].name`)
  const content = message.content === null ? [] : decodeContent(message.content, index)
  const origin = { form: "legacy", name } as const
  const answer: Part = {
    type: "tool-result",
    id: legacy.last(name),
    content: content.filter(isToolContent),
    origin,
  }
  return { role: "tool", parts: [answer] }
}

function decodeToolCalls(calls: JsonValue | undefined, index: number): Part[] {
  if (calls === undefined || calls === null) return []
  const name = `messages[${index}].tool_calls`
  if (!Array.isArray(calls)) throw invalidType(name, "an array of objects", calls)
  return calls.map((call, position) => {
    if (!isJsonObject(call)) throw invalidType(`${name}[${position}]`, "an object", call)
    return decodeToolCall(call, index, position)
  })
}

function decodeToolCall(call: JsonObject, index: number, position: number): Part {
  const { id, type, function: called } = call
  if (type === "custom" && isJsonObject(call.custom)) {
    return decodeCustomCall(call, call.custom, `messages[${index}].tool_calls[${position}]`)
  }
  if (type !== undefined && type !== "function")
    return { type: "unknown", extra: extraOf(DIALECT, call) }
  if (typeof id === "string" && isJsonObject(called)) {
    const { name, arguments: written } = called
    if (typeof name === "string" && (typeof written === "string" || written === undefined)) {
      const part: Draft<ToolCallPart> = {
        type: "tool-call",
        id,
        name,
        arguments: written === undefined || written === "" ? "{}" : written,
      }
      return withMark(part, unknownFields(call, CALL_FIELDS))
    }
  }
  throw wrongToolCall(call, `messages[${index}].tool_calls[${position}]`)
}

function decodeCustomCall(call: JsonObject, called: JsonObject, place: string): ToolCallPart {
  const id = requiredText(call, "id", place)
  const name = requiredText(called, "name", `${place}.custom`)
  const part: Draft<ToolCallPart> = {
    type: "tool-call",
    id,
    name,
    arguments: textArguments(requiredText(called, "input", `${place}.custom`)),
    origin: { form: "text", name },
  }
  return withMark(part, unknownFields(call, CUSTOM_CALL_FIELDS))
}

/** A call may be marked as a part of the content is. */
function withMark(part: Draft<ToolCallPart>, unknown: JsonObject | undefined): ToolCallPart {
  const { cache, extra } = takeCache(unknown)
  if (cache !== undefined) part.cache = cache
  if (extra !== undefined) part.extra = extraOf(DIALECT, extra)
  return part
}

function decodeFunctionCall(call: JsonObject, index: number, legacy: LegacyCalls): ToolCallPart {
  const { name, arguments: written } = call
  if (typeof name !== "string") throw missingParameter(`messages[${index}].function_call.name`)
  return {
    type: "tool-call",
    id: legacy.call(name),
    name,
    arguments: typeof written === "string" && written !== "" ? written : "{}",
    origin: { form: "legacy", name },
  }
}

function wrongToolCall(call: JsonObject, name: string): Error {
  if (typeof call.id !== "string") return wrongMember(call.id, `${name}.id`, "a string")
  const called = call.function
  if (!isJsonObject(called)) return wrongMember(called, `${name}.function`, "an object")
  if (typeof called.name !== "string") {
    return wrongMember(called.name, `${name}.function.name`, "a string")
  }
  return invalidType(`${name}.function.arguments`, "a string", called.arguments)
}

const MARKED: ReadonlySet<Part["type"]> = new Set([
  "text",
  "image",
  "file",
  "tool-call",
  "tool-result",
])

/** The name of the speaker, and whatever else the message holds. */
function withRest(
  decoded: Draft<Message>,
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

/** A mark on a whole message is one on its last part; undefined where no part can have one. */
function marked(parts: readonly Part[], cache: CacheMarker): Part[] | undefined {
  const last = parts.findLastIndex(({ type }) => MARKED.has(type))
  if (last < 0) return undefined
  return parts.map((part, index) => (index === last ? ({ cache, ...part } as Part) : part))
}
