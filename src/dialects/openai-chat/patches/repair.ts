import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import { flattenContent } from "../result/content.ts"

/**
 * Forms of some vendors that official clients of this dialect cannot read: content as a list (Mistral's
 * thinking) and tool calls without `index` or `type` (docs/wire/openai-chat.md#f20).
 *
 * @returns the same message or delta when there is nothing to repair.
 */
export function repairMessage(message: JsonObject): JsonObject {
  let repaired = Array.isArray(message.content) ? flattenContent(message) : message
  const { tool_calls: calls } = message
  if (Array.isArray(calls) && calls.some(lacksType)) {
    repaired = { ...repaired, tool_calls: calls.map(withType) }
  }
  return repaired
}

/** @returns the same delta when there is nothing to repair. */
export function repairDelta(delta: JsonObject): JsonObject {
  const repaired = repairMessage(delta)
  const { tool_calls: calls } = repaired
  if (!Array.isArray(calls) || !calls.some(lacksIndex)) return repaired
  return { ...repaired, tool_calls: calls.map(withIndex) }
}

/** Only the first delta of a call, the one with its id, has the type (docs/wire/openai-chat.md#f6). */
function lacksType(call: JsonValue): boolean {
  return isJsonObject(call) && typeof call.id === "string" && call.type === undefined
}

function withType(call: JsonValue): JsonValue {
  return isJsonObject(call) && lacksType(call) ? { ...call, type: "function" } : call
}

function lacksIndex(call: JsonValue): boolean {
  return isJsonObject(call) && typeof call.index !== "number"
}

function withIndex(call: JsonValue, position: number): JsonValue {
  return isJsonObject(call) && lacksIndex(call) ? { ...call, index: position } : call
}
