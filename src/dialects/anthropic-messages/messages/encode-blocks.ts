import { assertNever } from "../../../canon/assert-never.ts"
import { ownFields } from "../../../canon/extra.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import type {
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../../canon/message.ts"
import { fittedCallId } from "../../shared/identifiers.ts"
import type { LossList } from "../../shared/losses.ts"
import { encodeCache } from "../cache.ts"
import { DIALECT } from "../identifiers.ts"
import { encodeFile, encodeImage } from "../media.ts"

/** Maximum length of a call id. Anthropic's limit is not documented, but no known id is longer. */
const MAX_CALL_ID_LENGTH = 256

/** Returns a part as a block; undefined, with a loss, if this dialect cannot express it. */
export function encodeBlock(part: Part, losses: LossList): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return encodeText(part, losses)
    case "refusal":
      losses.add("refusal", "approximated")
      return encodeText({ type: "text", text: part.text }, losses)
    case "image":
      return encodeImage(part, losses)
    case "file":
      return encodeFile(part, losses)
    case "audio":
      losses.add("audio")
      return undefined
    case "reasoning":
      return encodeReasoning(part, losses)
    case "tool-call":
      return encodeToolCall(part, losses)
    case "tool-result":
      return encodeToolResult(part, losses)
    case "web-search":
      losses.add(part.type)
      return undefined
    case "unknown":
      return losses.partOf(part)
    default:
      return assertNever(part)
  }
}

/** Returns text as a block. Anthropic rejects blank text, so blank text is left out. */
export function encodeText(part: TextPart, losses: LossList): JsonObject | undefined {
  if (part.standsFor?.dialect === DIALECT) return part.standsFor.fields
  if (part.text.trim() === "") return undefined
  const block: JsonObject = { type: "text", text: part.text }
  const citations = encodeOwnCitations(part, losses)
  if (citations.length > 0) block.citations = citations
  return { ...block, ...encodeCache(part.cache, losses), ...losses.fieldsOf(part.extra) }
}

/**
 * Returns the citations that came from this dialect. Other vendors' citations lack the proof that Anthropic requires.
 */
function encodeOwnCitations(part: TextPart, losses: LossList): JsonValue[] {
  const own: JsonValue[] = []
  for (const citation of part.citations ?? []) {
    const kept = ownFields(DIALECT, citation.extra)
    if (kept === undefined) losses.add("citations")
    else own.push(kept)
  }
  return own
}

/** Returns reasoning as a block. Anthropic accepts only thinking that it has signed itself. */
function encodeReasoning(part: ReasoningPart, losses: LossList): JsonObject | undefined {
  const { text, signature, signedBy, isRedacted } = part
  losses.fieldsOf(part.extra)
  if (signature !== undefined && signedBy === DIALECT) {
    return isRedacted === true
      ? { type: "redacted_thinking", data: signature }
      : { type: "thinking", thinking: text, signature }
  }
  if (signature !== undefined) losses.add("reasoning.signature")
  if (text !== "") losses.add("reasoning")
  return undefined
}

function encodeToolCall(part: ToolCallPart, losses: LossList): JsonObject {
  return {
    type: "tool_use",
    id: fittedCallId(part.id, MAX_CALL_ID_LENGTH),
    name: part.name,
    input: losses.objectIn(part.arguments),
    ...encodeCache(part.cache, losses),
    ...losses.fieldsOf(part.extra),
  }
}

function encodeToolResult(part: ToolResultPart, losses: LossList): JsonObject {
  const { extra, others } = splitExtra(losses.fieldsOf(part.extra))
  const blocks: JsonObject[] = []
  for (const item of part.content) {
    const block = encodeBlock(item, losses)
    if (block !== undefined) blocks.push(block)
  }
  const content = plainContent([...blocks, ...others])
  return {
    type: "tool_result",
    tool_use_id: fittedCallId(part.id, MAX_CALL_ID_LENGTH),
    ...(content === undefined ? {} : { content }),
    ...(part.failed === true ? { is_error: true } : {}),
    ...encodeCache(part.cache, losses),
    ...extra,
  }
}

/** Separates the lists of blocks that exist in this dialect only from the other members of an extra. */
function splitExtra(fields: JsonObject = {}): { extra: JsonObject; others: JsonValue[] } {
  const extra: JsonObject = {}
  const others: JsonValue[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) others.push(...value)
    else extra[name] = value
  }
  return { extra, others }
}

/** Returns a single plain text as a string, other blocks as a list, and undefined for empty content. */
export function plainContent(blocks: readonly JsonValue[]): JsonValue | undefined {
  const [only] = blocks
  if (only === undefined) return undefined
  if (blocks.length > 1 || typeof only !== "object" || only === null || Array.isArray(only)) {
    return [...blocks]
  }
  const isPlain = only.type === "text" && Object.keys(only).length === 2
  return isPlain && typeof only.text === "string" ? only.text : [only]
}
