import type { ResponseLimits } from "../../canon/dialect.ts"
import type { Feature, Support } from "../../canon/features.ts"
import { featuresOf, supportOfScalars } from "../shared/scalars.ts"
import type { AnthropicQuirks } from "./quirks.ts"
import { SCALARS } from "./request/parameters.ts"

/** The features that a caller of this dialect can request. */
export const EXPRESSES: ReadonlySet<Feature> = new Set<Feature>([
  ...featuresOf(SCALARS),
  "tools",
  "tools.strict",
  "tool_choice",
  "parallel_tool_calls",
  "tool_result.media",
  "tool_result.failed",
  "json_schema",
  "reasoning_effort",
  "reasoning_budget",
  "reasoning",
  "reasoning.signature",
  "system",
  "system.position",
  "image.url",
  "image.data",
  "file.url",
  "file.data",
  "cache_control",
])

/** Anthropic rejects blank stop sequences. The maximum number of stop sequences is not documented. */
export const RESPONSE_LIMITS: Omit<ResponseLimits, "cutsStops"> = {
  choices: 1,
  stops: Infinity,
  blankStops: false,
  reportedStops: Infinity,
  minOutput: 0,
}

/** Returns how a vendor with these quirks supports each feature, for models outside all families. */
export function supportOf(quirks: AnthropicQuirks): Readonly<Record<Feature, Support>> {
  return {
    ...supportOfScalars(SCALARS, quirks),
    seed: "dropped",
    n: "approximated",
    presence_penalty: "dropped",
    frequency_penalty: "dropped",
    logprobs: "dropped",
    tools: "carried",
    "tools.grammar": "approximated",
    "tools.strict": quirks.structuredOutput ? "carried" : "dropped",
    tool_choice: "carried",
    parallel_tool_calls: "carried",
    "tool_result.media": "carried",
    "tool_result.failed": "carried",
    json_object: "approximated",
    json_schema: quirks.structuredOutput ? "carried" : "approximated",
    reasoning_effort: "carried",
    reasoning_budget: quirks.thinking === "adaptive" ? "approximated" : "carried",
    reasoning: "dropped",
    "reasoning.signature": "carried",
    system: "carried",
    "system.position": "approximated",
    name: "dropped",
    "image.url": "carried",
    "image.data": "carried",
    "image.detail": "dropped",
    audio: "dropped",
    "output.image": "dropped",
    image_config: "dropped",
    "output.audio": "dropped",
    "assistant.image": "approximated",
    "file.url": "carried",
    "file.data": "carried",
    refusal: "approximated",
    cache_control: "carried",
    prompt_cache_key: "dropped",
    verbosity: "dropped",
    safety_identifier: "carried",
    metadata: "dropped",
  }
}
