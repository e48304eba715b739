import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import { defined } from "../../shared/fields.ts"
import type { ResponseHead } from "../../shared/result.ts"
import { withoutOperatorData } from "../../shared/vendor-costs.ts"
import { DIALECT } from "../identifiers.ts"

/** Members of a response that the canon can represent. */
const RESPONSE_FIELDS = new Set([
  "candidates",
  "responseId",
  "modelVersion",
  "createTime",
  "usageMetadata",
])

/** Returns the head of a response, or of its first chunk. */
export function responseHead(response: JsonObject): ResponseHead {
  const created = Date.parse(textAt(response, "createTime") ?? "")
  const extra = unknownFields(response, RESPONSE_FIELDS)
  return defined({
    id: textAt(response, "responseId"),
    model: textAt(response, "modelVersion"),
    created: Number.isNaN(created) ? undefined : Math.floor(created / 1_000),
    extra: extra && extraOf(DIALECT, withoutOperatorData(extra)),
  })
}

/**
 * Returns the reason why the prompt was blocked. A response to a blocked prompt has no candidates
 * (docs/contribute/wire/gemini.md#f8).
 */
export function blockReason(response: JsonObject): string | undefined {
  const feedback = objectAt(response, "promptFeedback")
  return feedback === undefined ? undefined : textAt(feedback, "blockReason")
}

/** Members of a candidate that the canon can represent. */
const CANDIDATE_FIELDS = new Set(["content", "finishReason", "index"])

/**
 * Returns a candidate's members that exist in this dialect only. Empty members, which are frequent in streams, are left
 * out.
 */
export function candidateExtra(candidate: JsonObject): JsonObject | undefined {
  const fields = unknownFields(candidate, CANDIDATE_FIELDS)
  for (const name in fields) {
    if (isEmpty(fields[name])) delete fields[name]
  }
  return fields === undefined || isEmpty(fields) ? undefined : fields
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (!isJsonObject(value)) return false
  for (const _ in value) return false
  return true
}

export function responseIdOf({ responseId }: JsonObject): string | undefined {
  return typeof responseId === "string" && responseId !== "" ? responseId : undefined
}
