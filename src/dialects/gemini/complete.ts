import { mintId } from "../../canon/identifiers.ts"
import {
  isJsonObject,
  isThere,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
} from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { ID_PREFIX } from "./wire.ts"

/** What stands for the end where a vendor of this dialect does not say why there is one. */
const UNSAID_END = "STOP"

/** The counts whose sum is `totalTokenCount`. */
const SUMMED = [
  "promptTokenCount",
  "toolUsePromptTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
] as const

/** Puts into a whole answer what is always there; it is changed in place. */
export function completeResult(answer: JsonObject): void {
  Object.assign(answer, missingMembers(answer))
  answer.responseId ??= mintId(ID_PREFIX)
  for (const candidate of listAt(answer, "candidates")) {
    if (isJsonObject(candidate)) candidate.finishReason ??= UNSAID_END
  }
}

/**
 * What an answer, or a piece of one, leaves out and what is always there: places and roles of candidates, and the sum
 * of a usage. The answer itself is left as it is.
 * @returns undefined when nothing is missing.
 */
export function missingMembers(answer: JsonObject): JsonObject | undefined {
  let missing: JsonObject | undefined
  const candidates = listAt(answer, "candidates")
  if (candidates.some(isIncomplete)) missing = { candidates: candidates.map(completed) }
  const usage = objectAt(answer, "usageMetadata")
  if (usage !== undefined && isThere(usage.promptTokenCount) && !isThere(usage.totalTokenCount)) {
    const totalTokenCount = SUMMED.reduce((sum, name) => sum + (quantityOf(usage[name]) ?? 0), 0)
    missing = { ...missing, usageMetadata: { ...usage, totalTokenCount } }
  }
  return missing
}

function isIncomplete(candidate: JsonValue): boolean {
  if (!isJsonObject(candidate)) return false
  const content = objectAt(candidate, "content")
  return candidate.index === undefined || (content !== undefined && content.role === undefined)
}

function completed(candidate: JsonValue, position: number): JsonValue {
  if (!isJsonObject(candidate)) return candidate
  const content = objectAt(candidate, "content")
  return {
    index: position,
    ...candidate,
    ...(content !== undefined && { content: { role: "model", ...content } }),
  }
}
