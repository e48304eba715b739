import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
} from "../../../canon/json.ts"
import { choiceNumber } from "../../../canon/quantity.ts"
import { requestedChoices } from "../../shared/choices.ts"
import { mintId } from "../../shared/identifiers.ts"
import { ID_PREFIX } from "../identifiers.ts"
import { responseIdOf } from "../result/head.ts"
import { withTotal } from "../usage.ts"

/** The finish reason for an answer without a reason from the vendor. */
const DEFAULT_END = "STOP"

/**
 * Adds, in place, the members that a whole answer always has.
 * @param asked the number of requested candidates.
 */
export function completeResult(answer: JsonObject, asked: number | undefined): void {
  if (Array.isArray(answer.candidates)) {
    answer.candidates = [...requestedChoices(answer.candidates, asked)]
  }
  Object.assign(answer, missingMembers(answer))
  answer.responseId = responseIdOf(answer) ?? mintId(ID_PREFIX)
  for (const candidate of listAt(answer, "candidates")) {
    if (isJsonObject(candidate) && typeof candidate.finishReason !== "string") {
      candidate.finishReason = DEFAULT_END
    }
  }
}

/**
 * Returns the guaranteed members that are missing in an answer or in a chunk of an answer: indexes and roles of
 * candidates, and the total of the usage. The answer itself is not modified.
 * @returns undefined if no member is missing.
 */
export function missingMembers(answer: JsonObject): JsonObject | undefined {
  let missing: JsonObject | undefined
  const candidates = listAt(answer, "candidates")
  if (candidates.some(isIncomplete)) {
    missing = { candidates: candidates.filter(isJsonObject).map(completed) }
  }
  const usage = objectAt(answer, "usageMetadata")
  if (usage !== undefined && isDefined(usage.promptTokenCount)) {
    const usageMetadata = withTotal(usage)
    if (usageMetadata !== usage) missing = { ...missing, usageMetadata }
  }
  return missing
}

function isIncomplete(candidate: JsonValue, position: number): boolean {
  if (!isJsonObject(candidate)) return true
  const { index, content } = candidate
  if (choiceNumber(index, position) !== index) return true
  if (!isJsonObject(content)) return content !== undefined
  return content.role !== "model" || !areParts(content.parts)
}

function completed(candidate: JsonObject, position: number): JsonObject {
  const { content, ...rest } = candidate
  const placed = { ...rest, index: choiceNumber(candidate.index, position) }
  if (!isJsonObject(content)) return placed
  const readable = areParts(content.parts)
    ? {}
    : { parts: listAt(content, "parts").filter(isJsonObject) }
  return { ...placed, content: { ...content, ...readable, role: "model" } }
}

/** Whether clients can read the parts. The final chunk may have no parts. */
function areParts(parts: JsonValue | undefined): boolean {
  return parts === undefined || (Array.isArray(parts) && parts.every(isJsonObject))
}
