import type { ResponseLimits } from "../../canon/dialect.ts"
import type { Feature, Support } from "../../canon/features.ts"
import { featuresOf, supportOfScalars } from "../shared/scalars.ts"
import type { GeminiQuirks } from "./quirks.ts"
import { SAMPLING, SERVICE } from "./request/parameters.ts"

/** The features that a caller of this dialect can request. */
export const EXPRESSES: ReadonlySet<Feature> = new Set<Feature>([
  ...featuresOf({ ...SAMPLING, ...SERVICE }),
  "tools",
  "tool_choice",
  "tool_result.media",
  "tool_result.failed",
  "json_object",
  "json_schema",
  "reasoning_effort",
  "reasoning_budget",
  "reasoning",
  "reasoning.signature",
  "system",
  "image.url",
  "image.data",
  "audio",
  "output.image",
  "image_config",
  "output.audio",
  "assistant.image",
  "file.url",
  "file.data",
])

/**
 * Google accepts at most five `stopSequences` in `generationConfig`. The finish reason is `STOP` with or without a stop
 * sequence.
 */
export const RESPONSE_LIMITS: Omit<ResponseLimits, "choices"> = {
  stops: 5,
  cutsStops: true,
  blankStops: true,
  reportedStops: 0,
  minOutput: 1,
}

/** Returns how a vendor with these quirks supports each feature. */
export function supportOf(quirks: GeminiQuirks): Readonly<Record<Feature, Support>> {
  return {
    ...supportOfScalars({ ...SAMPLING, ...SERVICE }, quirks),
    tools: "carried",
    "tools.strict": "dropped",
    "tools.grammar": "approximated",
    tool_choice: "carried",
    parallel_tool_calls: "dropped",
    "tool_result.media": "approximated",
    "tool_result.failed": "carried",
    json_object: "carried",
    json_schema: "carried",
    reasoning_effort: "carried",
    reasoning_budget: "carried",
    reasoning: "dropped",
    "reasoning.signature": "carried",
    system: "carried",
    "system.position": "approximated",
    name: "dropped",
    "image.url": "approximated",
    "image.data": "carried",
    "image.detail": "dropped",
    audio: "carried",
    "output.image": "carried",
    image_config: "carried",
    "output.audio": "carried",
    "assistant.image": "carried",
    "file.url": "approximated",
    "file.data": "carried",
    refusal: "approximated",
    cache_control: "dropped",
    prompt_cache_key: "dropped",
    verbosity: "dropped",
    user: "dropped",
    safety_identifier: "dropped",
  }
}
