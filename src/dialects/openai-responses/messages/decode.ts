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
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type {
  CallOrigin,
  Message,
  Part,
  ReasoningPart,
  ToolResultPart,
} from "../../../canon/message.ts"
import type { Tool } from "../../../canon/tool.ts"
import { reportedSearch } from "../../shared/search.ts"
import { nameInRequest } from "../../shared/tool-names.ts"
import { requiredText } from "../../shared/validation.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeImageItem } from "../media.ts"
import { withMessages } from "./content-input.ts"
import { decodeContent, decodeOutput } from "./decode-parts.ts"
import { ITEM_TYPES, roleOfItem } from "./item-types.ts"
import { reasoningText } from "../reasoning.ts"
import { originOfCall } from "../tools/decode.ts"
import { isReportedStep } from "../search.ts"
import { textArguments } from "../../shared/text-tool.ts"

const ROLES = ["assistant", "system", "developer", "user"] as const

const MESSAGE_FIELDS = new Set(["type", "role", "content", "id", "status"])
const CALL_FIELDS = new Set([
  "type",
  "id",
  "call_id",
  "name",
  "namespace",
  "arguments",
  "input",
  "status",
])
const OUTPUT_FIELDS = new Set(["type", "id", "call_id", "output", "status"])
const REASONING_FIELDS = new Set([
  "type",
  "id",
  "summary",
  "content",
  "encrypted_content",
  "status",
])

/** A message to which the following items may add parts. */
interface OpenMessage extends Writable<Message> {
  readonly parts: Part[]
}

/**
 * Converts the items of a conversation to messages. Consecutive items of the assistant become one message, with parts
 * in the order of the items. Each output of a call becomes a separate message.
 * @param tools the tools of the request, which identify calls by name.
 */
export function decodeInput(input: JsonValue, tools?: readonly Tool[]): Message[] {
  if (typeof input === "string") return [{ role: "user", parts: decodeContent(input, "input") }]
  if (!Array.isArray(input)) {
    throw invalidType("input", "one of a string or array of input items", input)
  }
  if (input.length === 0) throw emptyArray("input")
  const messages: OpenMessage[] = []
  const items = withMessages(input)
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    const name = `input[${index}]`
    if (!isJsonObject(item)) throw invalidType(name, "an object", item)
    decodeItem(item, name, { messages, tools })
  }
  return messages
}

interface Conversation {
  readonly messages: OpenMessage[]
  readonly tools: readonly Tool[] | undefined
}

function decodeItem(item: JsonObject, name: string, { messages, tools }: Conversation): void {
  const type = typeOf(item, name)
  switch (type) {
    case "message":
      decodeMessage(item, name, messages)
      break
    case "function_call":
    case "custom_tool_call":
      turnOf("assistant", messages).push(decodeCall(item, name, tools))
      break
    case "function_call_output":
    case "custom_tool_call_output":
      messages.push({ role: "tool", parts: [decodeCallOutput(item, name)] })
      break
    case "reasoning":
      turnOf("assistant", messages).push(decodeReasoning(item))
      break
    default: {
      const role = roleOfItem(type)
      if (role === undefined) throw unsupportedValue(`${name}.type`, type, ITEM_TYPES)
      const part: Part = isReportedStep(item)
        ? reportedSearch(DIALECT)
        : (decodeImageItem(item) ?? { type: "unknown", extra: extraOf(DIALECT, { [type]: item }) })
      if (role === "assistant") turnOf(role, messages).push(part)
      else messages.push({ role, parts: [part] })
    }
  }
}

/** Returns the type of an item. A message may omit its type, and so may a reference to an item. */
function typeOf(item: JsonObject, name: string): string {
  const { type } = item
  if (typeof type === "string") return type
  if (type !== undefined && type !== null) throw invalidType(`${name}.type`, "a string", type)
  return item.role === undefined && textAt(item, "id") !== undefined ? "item_reference" : "message"
}

function turnOf(role: "assistant", messages: OpenMessage[]): Part[] {
  const last = messages.at(-1)
  if (last?.role === role) return last.parts
  const parts: Part[] = []
  messages.push({ role, parts })
  return parts
}

function decodeMessage(item: JsonObject, name: string, messages: OpenMessage[]): void {
  const role = ROLES.find((known) => known === item.role)
  if (role === undefined) throw wrongRole(item.role, `${name}.role`)
  if (item.content === undefined) throw missingParameter(`${name}.content`)
  const parts = decodeContent(item.content, `${name}.content`)
  const rest = unknownFields(item, MESSAGE_FIELDS)
  if (role === "assistant") {
    turnOf(role, messages).push(...parts.map((part) => withRest(part, rest)))
    return
  }
  const message: OpenMessage = { role, parts }
  if (rest !== undefined) message.extra = extraOf(DIALECT, rest)
  messages.push(message)
}

/** Adds the members of an item to its text part, because several items form one assistant message. */
function withRest(part: Part, rest: JsonObject | undefined): Part {
  if (rest === undefined || part.type !== "text") return part
  return { ...part, extra: extraOf(DIALECT, { ...part.extra?.fields, ...rest }) }
}

function wrongRole(role: JsonValue | undefined, name: string): Error {
  if (role === undefined) return missingParameter(name)
  return typeof role === "string"
    ? unsupportedValue(name, role, ROLES)
    : invalidType(name, "a string", role)
}

/**
 * The origin of an output of a custom tool. The output does not name its tool, and its call may be missing from the
 * input.
 */
const SOME_TEXT_CALL: CallOrigin = { form: "text", name: "" }

function decodeCall(item: JsonObject, name: string, tools: readonly Tool[] | undefined): Part {
  const isText = item.type === "custom_tool_call"
  const called = requiredText(item, "name", name)
  const written = isText
    ? textArguments(requiredText(item, "input", name))
    : requiredText(item, "arguments", name)
  const origin = originOfCall(item)
  const part: Writable<Extract<Part, { type: "tool-call" }>> = {
    type: "tool-call",
    id: requiredText(item, "call_id", name),
    name: origin === undefined ? called : nameInRequest(tools, origin),
    arguments: written === "" ? "{}" : written,
  }
  if (origin !== undefined) part.origin = origin
  const extra = unknownFields(item, CALL_FIELDS)
  if (extra !== undefined) part.extra = extraOf(DIALECT, extra)
  return part
}

function decodeCallOutput(item: JsonObject, name: string): ToolResultPart {
  const part: Writable<ToolResultPart> = {
    type: "tool-result",
    id: requiredText(item, "call_id", name),
    content: decodeOutput(item.output, `${name}.output`),
  }
  if (item.type === "custom_tool_call_output") part.origin = SOME_TEXT_CALL
  const extra = unknownFields(item, OUTPUT_FIELDS)
  if (extra !== undefined) part.extra = extraOf(DIALECT, extra)
  return part
}

/** Decodes reasoning. An item without content refers to state stored by the vendor, so other vendors cannot use it. */
function decodeReasoning(item: JsonObject): Part {
  const text = reasoningText(item)
  const signature = textAt(item, "encrypted_content")
  if (text === "" && signature === undefined) {
    return { type: "unknown", extra: extraOf(DIALECT, { reasoning: item }) }
  }
  const part: Writable<ReasoningPart> = { type: "reasoning", text }
  if (signature !== undefined) {
    part.signature = signature
    part.signedBy = DIALECT
  }
  const id = textAt(item, "id")
  if (id !== undefined) part.id = id
  const extra = unknownFields(item, REASONING_FIELDS)
  if (extra !== undefined) part.extra = extraOf(DIALECT, extra)
  return part
}
