import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { invalidType, unsupportedValue } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  unknownFields,
} from "../../../canon/json.ts"
import type { Message, Part, TextPart } from "../../../canon/message.ts"
import { decodeCache } from "../cache.ts"
import { DIALECT } from "../identifiers.ts"
import { nameOf, wrongMember } from "./block-position.ts"

const BILLING_HEADER = "x-anthropic-billing-header:"
const MESSAGE_FIELDS = new Set(["role", "content", "clear_at"])

/**
 * The types of blocks without text that instructions within a conversation may contain. They change the available
 * tools.
 */
const TOOL_CHANGES: ReadonlySet<string> = new Set(["tool_addition", "tool_removal"])

/** Decodes the instructions before the conversation: a string, or text blocks. */
export function decodeSystem(value: JsonValue | undefined): Message | undefined {
  if (!isDefined(value) || value === "") return undefined
  if (typeof value === "string") return { role: "system", parts: [{ type: "text", text: value }] }
  if (!Array.isArray(value)) {
    throw invalidType("system", "one of a string or array of objects", value)
  }
  const parts = value.map((block, index) => decodeTextBlock(block, `system[${index}]`))
  return parts.length === 0 ? undefined : { role: "system", parts }
}

/**
 * Decodes instructions within the conversation (`SystemMessageParam` and `BetaSystemMessageParam` of the official
 * client). An extra, even an empty one, marks instructions that came in this dialect.
 */
export function decodeSystemMessage(message: JsonObject, index: number): Message {
  const extra = extraOf(DIALECT, unknownFields(message, MESSAGE_FIELDS) ?? {})
  return { role: "system", parts: decodeContent(message.content, index), extra }
}

/** Whether instructions apply to one user turn only and a later user turn follows. */
export function isCleared(messages: readonly JsonValue[], index: number): boolean {
  const message = messages[index]
  if (!isJsonObject(message) || message.clear_at !== "next_user_message") return false
  return messages.some(
    (later, position) => position > index && isJsonObject(later) && later.role === "user",
  )
}

/** Decodes the content. A message may change settings for its turn without having content. */
function decodeContent(content: JsonValue | undefined, message: number): Part[] {
  if (!isDefined(content) || content === "") return []
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (!Array.isArray(content)) {
    throw invalidType(nameOf({ message }), "one of a string or array of objects", content)
  }
  return content.map((block, index) => {
    const isChange =
      isJsonObject(block) && typeof block.type === "string" && TOOL_CHANGES.has(block.type)
    return isChange
      ? { type: "unknown", extra: extraOf(DIALECT, block) }
      : decodeTextBlock(block, nameOf({ message, block: index }))
  })
}

function decodeTextBlock(block: JsonValue, name: string): TextPart {
  if (!isJsonObject(block)) throw invalidType(name, "an object", block)
  const { type, text } = block
  if (typeof type !== "string") throw wrongMember(type, `${name}.type`, "a string")
  if (type !== "text") throw unsupportedValue(`${name}.type`, type, ["text"])
  if (typeof text !== "string") throw wrongMember(text, `${name}.text`, "a string")
  // Claude Code sends a different header text with each request. It means nothing to other providers and would prevent
  // cache hits.
  if (text.startsWith(BILLING_HEADER)) {
    return { type: "text", text: "", standsFor: extraOf(DIALECT, block) }
  }
  const part: Writable<TextPart> = { type: "text", text }
  const cache = decodeCache(block.cache_control, () => `${name}.`)
  if (cache !== undefined) part.cache = cache
  return part
}
