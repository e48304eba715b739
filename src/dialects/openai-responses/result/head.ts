import { extraOf } from "../../../canon/extra.ts"
import { type JsonObject, textAt, unknownFields } from "../../../canon/json.ts"
import { defined } from "../../shared/fields.ts"
import type { ResponseHead } from "../../shared/result.ts"
import { withoutOperatorData } from "../../shared/vendor-costs.ts"
import { DIALECT } from "../identifiers.ts"

/** Members that the canon can represent, and members that only repeat the request. */
const KNOWN_FIELDS = new Set([
  "id",
  "object",
  "created_at",
  "completed_at",
  "status",
  "error",
  "incomplete_details",
  "model",
  "output",
  "output_text",
  "usage",
  "background",
  "frequency_penalty",
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "parallel_tool_calls",
  "presence_penalty",
  "previous_response_id",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "reasoning",
  "safety_identifier",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "truncation",
  "user",
])

/**
 * Returns the head of a response, or of its first event. Its extra has the members that exist in this dialect only,
 * such as the service tier used and reports of filters.
 */
export function responseHead(response: JsonObject): ResponseHead {
  const { created_at: created } = response
  const extra = unknownFields(response, KNOWN_FIELDS)
  return defined({
    id: textAt(response, "id"),
    model: textAt(response, "model"),
    created: typeof created === "number" ? Math.floor(created) : undefined,
    extra: extra && extraOf(DIALECT, withoutOperatorData(extra)),
  })
}
