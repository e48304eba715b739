import type { Extra } from "../../../canon/chat.ts"
import { type JsonObject, unknownFields } from "../../../canon/json.ts"
import { DIALECT } from "../identifiers.ts"
import { extraOf } from "../../shared/extra.ts"

/** Members that the canon has a name for, and those that only repeat the request. */
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

/** What only this dialect knows of an answer: the tier that served it, reports of filters. */
export function answerExtra(response: JsonObject): Extra | undefined {
  const fields = unknownFields(response, KNOWN_FIELDS)
  return fields === undefined ? undefined : extraOf(DIALECT, fields)
}
