import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { invalidType, unsupportedValue } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  shown,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type {
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UnknownPart,
} from "../../../canon/message.ts"
import { reportedSearch } from "../../shared/search.ts"
import { decodeCache } from "../cache.ts"
import { decodeCitations } from "../citations.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeDocument, decodeImage } from "../media.ts"
import { isReportedStep } from "../search.ts"
import { OWN_BLOCKS, OWN_RESULT_BLOCKS, SPOKEN_TYPES, spokenBlock } from "./own-blocks.ts"
import { nameOf, type BlockPosition, rejection, wrongMember } from "./block-position.ts"

/** The types of blocks that the canon supports, by role. */
const BLOCKS: Readonly<Record<"user" | "assistant", readonly string[]>> = {
  user: ["text", "image", "document", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
}

const RESULT_BLOCKS: readonly string[] = [
  "text",
  "image",
  "document",
  ...SPOKEN_TYPES,
  ...OWN_RESULT_BLOCKS,
]

const TEXT_FIELDS = new Set(["type", "text", "citations", "cache_control"])
const CALL_FIELDS = new Set(["type", "id", "name", "input", "cache_control", "caller"])
const RESULT_FIELDS = new Set(["type", "tool_use_id", "content", "is_error", "cache_control"])

/** Decodes one block of a user message: text, media, or the result of a tool. */
export function decodeUserBlock(block: JsonObject, position: BlockPosition): Part {
  switch (block.type) {
    case "text":
      return decodeText(block, position)
    case "image":
      return decodeImage(block, position)
    case "document":
      return decodeDocument(block, position)
    case "tool_result":
      return decodeToolResult(block, position)
    default:
      return decodeOther(block, position, "user")
  }
}

/** Decodes one block of an assistant message: thinking, text, or a tool call. */
export function decodeAssistantBlock(block: JsonObject, position: BlockPosition): Part {
  switch (block.type) {
    case "text":
      return decodeText(block, position)
    case "thinking":
      return decodeThinking(block, position)
    case "redacted_thinking": {
      const signature = requiredText(block, "data", position)
      return { type: "reasoning", text: "", signature, signedBy: DIALECT, isRedacted: true }
    }
    case "tool_use":
      return decodeToolCall(block, position)
    default:
      return decodeOther(block, position, "assistant")
  }
}

/** Decodes a text block of a message or of `system`. */
export function decodeText(block: JsonObject, position: BlockPosition): TextPart {
  const { text } = block
  if (typeof text !== "string") throw wrongMember(text, `${nameOf(position)}.text`, "a string")
  const part: Writable<TextPart> = { type: "text", text }
  const citations = decodeCitations(block.citations)
  if (citations.length > 0) part.citations = citations
  setCache(part, block, position)
  const extra = unknownFields(block, TEXT_FIELDS)
  if (extra !== undefined) part.extra = extraOf(DIALECT, extra)
  return part
}

/** Decodes thinking. An empty signature means that the vendor does not sign its thinking. */
function decodeThinking(block: JsonObject, position: BlockPosition): ReasoningPart {
  const { thinking } = block
  if (typeof thinking !== "string") {
    throw wrongMember(thinking, `${nameOf(position)}.thinking`, "a string")
  }
  const signature = textAt(block, "signature")
  return signature === undefined
    ? { type: "reasoning", text: thinking }
    : { type: "reasoning", text: thinking, signature, signedBy: DIALECT }
}

function decodeToolCall(block: JsonObject, position: BlockPosition): ToolCallPart {
  const { input, caller } = block
  if (!isJsonObject(input)) throw wrongMember(input, `${nameOf(position)}.input`, "an object")
  const part: Writable<ToolCallPart> = {
    type: "tool-call",
    id: requiredText(block, "id", position),
    name: requiredText(block, "name", position),
    arguments: JSON.stringify(input),
  }
  setCache(part, block, position)
  let extra = unknownFields(block, CALL_FIELDS)
  // Most calls are direct. The caller is kept as extra only if it is a program.
  if (isJsonObject(caller) && caller.type !== "direct") extra = { ...extra, caller }
  if (extra !== undefined) part.extra = extraOf(DIALECT, extra)
  return part
}

function decodeToolResult(block: JsonObject, position: BlockPosition): ToolResultPart {
  const { content, is_error: failed } = block
  const others: JsonObject = {}
  const part: Writable<ToolResultPart> = {
    type: "tool-result",
    id: requiredText(block, "tool_use_id", position),
    content: decodeResultContent(content, position, others),
  }
  if (failed === true) part.failed = true
  else if (isDefined(failed) && failed !== false) {
    throw invalidType(`${nameOf(position)}.is_error`, "a boolean", failed)
  }
  setCache(part, block, position)
  const extra = { ...unknownFields(block, RESULT_FIELDS), ...others }
  if (Object.keys(extra).length > 0) part.extra = extraOf(DIALECT, extra)
  return part
}

/**
 * Decodes the content of a tool result.
 * @param others collects blocks that exist in this dialect only, by type.
 */
function decodeResultContent(
  content: JsonValue | undefined,
  position: BlockPosition,
  others: JsonObject,
): ToolResultPart["content"] {
  if (!isDefined(content) || content === "") return []
  if (typeof content === "string") return [{ type: "text", text: content }]
  const name = `${nameOf(position)}.content`
  if (!Array.isArray(content)) {
    throw invalidType(name, "one of a string or array of objects", content)
  }
  const parts: ResultContent[] = []
  for (let inner = 0; inner < content.length; inner++) {
    const block = content[inner]
    if (!isJsonObject(block)) throw invalidType(`${name}[${inner}]`, "an object", block)
    const part = decodeResultBlock(block, { ...position, inner })
    if (part.type !== "unknown") parts.push(part)
    else {
      const type = shown(block.type)
      others[type] = [...(Array.isArray(others[type]) ? others[type] : []), block]
    }
  }
  return parts
}

type ResultContent = ToolResultPart["content"][number]

function decodeResultBlock(
  block: JsonObject,
  position: BlockPosition,
): ResultContent | UnknownPart {
  switch (block.type) {
    case "text":
      return decodeText(block, position)
    case "image":
      return decodeImage(block, position)
    case "document":
      return decodeDocument(block, position)
    default:
  }
  const { type } = block
  const name = `${nameOf(position)}.type`
  if (typeof type !== "string") throw wrongMember(type, name, "a string")
  const spoken = spokenBlock(block)
  if (spoken !== undefined) return spoken
  if (OWN_RESULT_BLOCKS.has(type)) return { type: "unknown", extra: extraOf(DIALECT, block) }
  throw unsupportedValue(name, type, RESULT_BLOCKS)
}

function decodeOther(block: JsonObject, position: BlockPosition, role: keyof typeof BLOCKS): Part {
  const { type } = block
  const name = `${nameOf(position)}.type`
  if (typeof type !== "string") throw wrongMember(type, name, "a string")
  if (isReportedStep(block)) return reportedSearch(DIALECT)
  const spoken = type === "search_result" ? spokenBlock(block) : undefined
  if (spoken !== undefined) return spoken
  if (OWN_BLOCKS.has(type)) return { type: "unknown", extra: extraOf(DIALECT, block) }
  const other = role === "user" ? "assistant" : "user"
  if (BLOCKS[other].includes(type)) {
    throw rejection(position, `\`${type}\` blocks can only be in \`${other}\` messages`)
  }
  throw unsupportedValue(name, type, BLOCKS[role])
}

function setCache(
  part: Writable<TextPart | ToolCallPart | ToolResultPart>,
  block: JsonObject,
  position: BlockPosition,
): void {
  const cache = decodeCache(block.cache_control, () => `${nameOf(position)}.`)
  if (cache !== undefined) part.cache = cache
}

function requiredText(block: JsonObject, key: string, position: BlockPosition): string {
  const value = block[key]
  if (typeof value === "string" && value !== "") return value
  throw wrongMember(value === "" ? undefined : value, `${nameOf(position)}.${key}`, "a string")
}
