import type { ReasoningPart } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { type Draft, extraOf, textAt, unknownFields } from "./wire.ts"

/**
 * Reasoning in a message or a delta: text in `reasoning_content` (DeepSeek, xAI) or `reasoning` (Groq,
 * OpenRouter), and signed in OpenRouter's `reasoning_details` (WIRE.md 7).
 */

const DETAIL_FIELDS = new Set(["type", "text", "summary", "signature"])

/** The plain text of reasoning, under whichever name. */
export function reasoningText(message: JsonObject): string | undefined {
  return textAt(message, "reasoning_content") ?? textAt(message, "reasoning")
}

/** Reasoning of a whole message. Details say all that the plain text says, so they come first. */
export function decodeReasoning(message: JsonObject): ReasoningPart[] {
  const details = message.reasoning_details
  const parts: ReasoningPart[] = []
  if (Array.isArray(details)) {
    for (const detail of details) {
      const part = decodeDetail(detail)
      if (part !== undefined) parts.push(part)
    }
  }
  const text = reasoningText(message)
  if (text === undefined || parts.some((part) => part.text !== "")) return parts
  return [{ type: "reasoning", text }, ...parts]
}

/** Reasoning as the members of a message; details only when there is more than text to tell. */
export function encodeReasoning(
  parts: readonly ReasoningPart[],
  textField: "reasoning_content" | "reasoning",
): JsonObject {
  const fields: JsonObject = {}
  const text = parts.map((part) => part.text).join("")
  if (text !== "") fields[textField] = text
  if (needsDetails(parts)) fields.reasoning_details = parts.map(encodeDetail)
  return fields
}

/** The signed proof of reasoning, as one of OpenRouter's details. */
export function encodeSignature(signature: string): JsonValue[] {
  return [{ type: "reasoning.text", signature }]
}

function needsDetails(parts: readonly ReasoningPart[]): boolean {
  return parts.length > 1 || parts.some((part) => part.signature !== undefined || isOurs(part))
}

function isOurs(part: ReasoningPart): boolean {
  return part.extra?.dialect === "openai-chat"
}

function decodeDetail(detail: JsonValue): ReasoningPart | undefined {
  if (!isJsonObject(detail)) return undefined
  const text = textAt(detail, "text") ?? textAt(detail, "summary") ?? ""
  const part: Draft<ReasoningPart> = { type: "reasoning", text }
  const signature = textAt(detail, "signature")
  if (signature !== undefined) part.signature = signature
  const fields = unknownFields(detail, DETAIL_FIELDS) ?? {}
  if (detail.type !== "reasoning.text") fields.type = detail.type
  if (Object.keys(fields).length > 0) part.extra = extraOf(fields)
  return part
}

function encodeDetail(part: ReasoningPart): JsonObject {
  const fields = isOurs(part) ? part.extra?.fields : undefined
  const type = fields?.type ?? "reasoning.text"
  const detail: JsonObject = { ...fields, type }
  if (part.text !== "") detail[type === "reasoning.summary" ? "summary" : "text"] = part.text
  if (part.signature !== undefined) detail.signature = part.signature
  return detail
}
