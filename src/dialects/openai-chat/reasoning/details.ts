import type { Writable } from "../../../canon/writable.ts"
import { type Extra, extraOf, ownFields } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { ReasoningPart, Part } from "../../../canon/message.ts"
import { DIALECT } from "../identifiers.ts"

/**
 * The types of OpenRouter's `reasoning_details` (docs/contribute/wire/openai-chat.md#f24). `reasoning.text` has text
 * and a signature, `reasoning.summary` has a summary, and `reasoning.encrypted` has the withheld reasoning as `data`.
 */

const TEXT = "reasoning.text"
const SUMMARY = "reasoning.summary"
const ENCRYPTED = "reasoning.encrypted"

/**
 * A field that only the gateway uses. It is the index of the call that follows the chunk, because calls are a separate
 * list in a message.
 */
const CALL_FIELD = "tool_call_index"

const DETAIL_FIELDS = new Set([
  "type",
  "text",
  "summary",
  "signature",
  "data",
  "id",
  "index",
  CALL_FIELD,
])

/** A chunk of reasoning and its position. */
export interface PlacedReasoning {
  readonly part: ReasoningPart
  /** Index of the call that directly follows the reasoning; absent if the reasoning precedes all other content. */
  readonly call?: number
}

/**
 * Decodes a list of details.
 * @returns each chunk once. Clients that join the lists of a stream have some chunks twice, because every list repeats
 * the earlier chunks.
 */
function decodeDetails(details: JsonValue | undefined): PlacedReasoning[] {
  if (!Array.isArray(details)) return []
  const signatures = new Set<string>()
  const placed: PlacedReasoning[] = []
  for (const detail of details) {
    if (!isJsonObject(detail)) continue
    const part = decodeDetail(detail)
    const { signature } = part
    if (signature !== undefined) {
      if (signatures.has(signature)) continue
      signatures.add(signature)
    }
    const call = detail[CALL_FIELD]
    placed.push(typeof call === "number" ? { part, call } : { part })
  }
  return placed
}

/** Returns the text of a detail; empty for a detail without text. */
export function detailText(detail: JsonObject): string {
  return textAt(detail, "text") ?? textAt(detail, "summary") ?? ""
}

/** Returns the part of a detail that proves it to its vendor: its signature, or its encrypted content. */
export function proofOf(detail: JsonObject): Proof | undefined {
  const signature = textAt(detail, "signature") ?? textAt(detail, "data")
  if (signature === undefined) return undefined
  return detail.type === ENCRYPTED ? { signature, isRedacted: true } : { signature }
}

interface Proof {
  readonly signature: string
  readonly isRedacted?: true
}

/** Whether the canon can represent this kind of detail. */
export function isKnownDetail({ type }: JsonObject): boolean {
  return type === TEXT || type === SUMMARY || type === ENCRYPTED
}

function decodeDetail(detail: JsonObject): ReasoningPart {
  const proof = proofOf(detail)
  const part: Writable<ReasoningPart> = { type: "reasoning", text: detailText(detail), ...proof }
  if (proof !== undefined) part.signedBy = DIALECT
  const id = textAt(detail, "id")
  if (id !== undefined) part.id = id
  const extra = extraOfDetail(detail)
  if (extra !== undefined) part.extra = extra
  return part
}

/**
 * Returns the members of a detail that the canon's parts cannot represent, so that the detail can be sent back
 * unchanged.
 */
export function extraOfDetail(detail: JsonObject): Extra | undefined {
  const { type } = detail
  const fields = unknownFields(detail, DETAIL_FIELDS) ?? {}
  if (type !== TEXT && type !== undefined && proofOf(detail)?.isRedacted !== true)
    fields.type = type
  return Object.keys(fields).length === 0 ? undefined : extraOf(DIALECT, fields)
}

/**
 * Encodes a detail.
 * @param index position of the detail in the list into which official clients join the lists of a stream.
 */
export function encodeDetail(placed: PlacedReasoning, index: number): JsonObject {
  const { part, call } = placed
  const { text, signature, id, isRedacted } = part
  const fields = ownFields(DIALECT, part.extra)
  const type = isRedacted === true ? ENCRYPTED : (fields?.type ?? TEXT)
  const detail: JsonObject = { ...fields, type }
  if (text !== "") detail[type === SUMMARY ? "summary" : "text"] = text
  if (signature !== undefined) detail[type === ENCRYPTED ? "data" : "signature"] = signature
  if (id !== undefined) detail.id = id
  if (call !== undefined) detail[CALL_FIELD] = call
  detail.index = index
  return detail
}

/** Whether a part has content that plain text cannot represent. */
function needsDetail({ part, call }: PlacedReasoning): boolean {
  const { signature, id, extra } = part
  return [signature, id, call, ownFields(DIALECT, extra)].some((known) => known !== undefined)
}

/**
 * Reasoning in a message: text in `reasoning_content` (DeepSeek, xAI) or `reasoning` (Groq,
 * OpenRouter), and signed in OpenRouter's `reasoning_details`
 * (docs/contribute/wire/openai-chat.md#vendors-with-variants-of-the-format).
 */

/** Returns the plain text of reasoning, under either name. */
export function reasoningText(message: JsonObject): string | undefined {
  return textAt(message, "reasoning_content") ?? textAt(message, "reasoning")
}

/** Decodes the reasoning of a whole message. Details include the plain text, so they take precedence. */
export function decodeReasoning(message: JsonObject): readonly PlacedReasoning[] {
  const text = reasoningText(message)
  if (text === undefined && message.reasoning_details === undefined) return NONE
  const placed = decodeDetails(message.reasoning_details)
  if (text === undefined || placed.some(({ part }) => part.text !== "")) return placed
  return [{ part: { type: "reasoning", text } }, ...placed]
}

const NONE: readonly PlacedReasoning[] = []

/** Returns the parts of a message in their order. */
export function joinParts(
  reasoning: readonly PlacedReasoning[],
  said: Part[],
  calls: readonly Part[],
): Part[] {
  if (reasoning.length > 0) return joinReasoning(reasoning, said, calls)
  return calls.length === 0 ? said : [...said, ...calls]
}

function joinReasoning(
  reasoning: readonly PlacedReasoning[],
  said: readonly Part[],
  calls: readonly Part[],
): Part[] {
  const before = (index: number | undefined) =>
    reasoning.filter(({ call }) => call === index).map(({ part }) => part)
  const parts: Part[] = [...before(undefined), ...said]
  for (const [index, call] of calls.entries()) parts.push(...before(index), call)
  for (const { part, call } of reasoning) {
    if (call !== undefined && call >= calls.length) parts.push(part)
  }
  return parts
}

/** Encodes reasoning as members of a message. Details are only added if the reasoning has more than text. */
export function encodeReasoning(
  reasoning: readonly PlacedReasoning[],
  textField: "reasoning_content" | "reasoning",
): JsonObject {
  const fields: JsonObject = {}
  const text = reasoning.map(({ part }) => part.text).join("")
  if (text !== "") fields[textField] = text
  if (reasoning.length > 1 || reasoning.some(needsDetail)) {
    fields.reasoning_details = reasoning.map(encodeDetail)
  }
  return fields
}
