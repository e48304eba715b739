import type { Writable } from "../../../canon/writable.ts"
import { type Extra, extraOf, ownFields } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { ReasoningPart } from "../../../canon/message.ts"
import { DIALECT } from "../identifiers.ts"

/**
 * One of OpenRouter's `reasoning_details` (docs/contribute/wire/openai-chat.md#f24): `reasoning.text` with text and
 * signature, `reasoning.summary`, or `reasoning.encrypted` with the withheld reasoning as `data`.
 */

const TEXT = "reasoning.text"
const SUMMARY = "reasoning.summary"
const ENCRYPTED = "reasoning.encrypted"

/** Ours: the position of a chunk among the calls, which are a separate list in a message. */
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
  /** It follows everything else and directly precedes this call; absent: it precedes everything. */
  readonly call?: number
}

/**
 * @returns each chunk once: clients that join the lists of a stream have some of them twice, since every list
 * repeats the earlier ones.
 */
export function decodeDetails(details: JsonValue | undefined): PlacedReasoning[] {
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

/** Returns the proof of a detail for its vendor: its signature, or its encrypted content. */
export function proofOf(detail: JsonObject): Proof | undefined {
  const signature = textAt(detail, "signature") ?? textAt(detail, "data")
  if (signature === undefined) return undefined
  return detail.type === ENCRYPTED ? { signature, isRedacted: true } : { signature }
}

interface Proof {
  readonly signature: string
  readonly isRedacted?: true
}

/** Whether the canon has this kind of detail. */
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

/** Members that the canon's parts do not hold, so that the detail is sent back unchanged. */
export function extraOfDetail(detail: JsonObject): Extra | undefined {
  const { type } = detail
  const fields = unknownFields(detail, DETAIL_FIELDS) ?? {}
  if (type !== TEXT && type !== undefined && proofOf(detail)?.isRedacted !== true)
    fields.type = type
  return Object.keys(fields).length === 0 ? undefined : extraOf(DIALECT, fields)
}

/** @param index of the entry in the list that official clients build of a stream's lists. */
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

/** Whether plain text cannot represent all of this part. */
export function needsDetail({ part, call }: PlacedReasoning): boolean {
  const { signature, id, extra } = part
  return [signature, id, call, ownFields(DIALECT, extra)].some((known) => known !== undefined)
}
