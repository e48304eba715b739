import type { AnswerLimits } from "../../canon/dialect.ts"
import type { Feature, Support } from "../../canon/features.ts"
import type { GeminiQuirks } from "./quirks.ts"

/** What a caller of this dialect can ask for. */
export const EXPRESSES: ReadonlySet<Feature> = new Set<Feature>([
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "seed",
  "n",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
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
  "file.url",
  "file.data",
  "metadata",
  "service_tier",
])

/** At most five `stopSequences` in `generationConfig`; `STOP` is reported after one as after any end. */
export const ANSWER_LIMITS: AnswerLimits = {
  stops: 5,
  blankStops: true,
  reportedStops: 0,
  minOutput: 1,
}

/** The support of each feature. */
export function supportOf(quirks: GeminiQuirks): Readonly<Record<Feature, Support>> {
  return {
    max_tokens: "carried",
    temperature: "carried",
    top_p: "carried",
    top_k: "carried",
    stop: "carried",
    seed: "carried",
    n: quirks.maxCandidates > 1 ? "carried" : "approximated",
    presence_penalty: "carried",
    frequency_penalty: "carried",
    // Gemini can report them; the canon does not represent them in an answer.
    logprobs: "dropped",
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
    "file.url": "approximated",
    "file.data": "carried",
    refusal: "approximated",
    cache_control: "dropped",
    prompt_cache_key: "dropped",
    verbosity: "dropped",
    user: "dropped",
    safety_identifier: "dropped",
    metadata: quirks.labels ? "carried" : "dropped",
    service_tier: quirks.serviceTier ? "carried" : "dropped",
  }
}
