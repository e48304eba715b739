import { type JsonObject, textAt } from "../../../canon/json.ts"
import type { Part } from "../../../canon/message.ts"
import { decodeDetails, encodeDetail, needsDetail, type PlacedReasoning } from "./details.ts"

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
