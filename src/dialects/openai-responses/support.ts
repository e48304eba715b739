import type { ResponseLimits } from "../../canon/dialect.ts"
import { type Feature, FEATURES, type Support } from "../../canon/features.ts"
import { supportOfScalars } from "../shared/scalars.ts"
import type { OpenAiResponsesQuirks } from "./quirks.ts"
import { SCALARS } from "./request/parameters.ts"

/** Features that this dialect cannot express. */
const UNSUPPORTED: ReadonlySet<Feature> = new Set([
  "top_k",
  "stop",
  "seed",
  "n",
  "reasoning_budget",
  "tool_result.failed",
  "name",
])

const ALL = Object.keys(FEATURES) as Feature[]

/** Features that callers of this dialect can use. */
export const EXPRESSES: ReadonlySet<Feature> = new Set(ALL.filter((name) => !UNSUPPORTED.has(name)))

/** The responses API has no stop sequences, and OpenAI rejects a `max_output_tokens` below 16. */
export const RESPONSE_LIMITS: ResponseLimits = {
  choices: 1,
  stops: 0,
  cutsStops: true,
  blankStops: false,
  reportedStops: 0,
  minOutput: 16,
}

/**
 * Returns how a vendor with these quirks supports each feature (docs/contribute/wire/openai-responses.md#f1, OpenAI's
 * OpenAPI description).
 */
export function supportOf(quirks: OpenAiResponsesQuirks): Readonly<Record<Feature, Support>> {
  return {
    ...CARRIED,
    ...supportOfScalars(SCALARS, quirks),
    top_k: "dropped",
    seed: "dropped",
    n: "approximated",
    "tool_result.failed": "dropped",
    "tools.grammar": quirks.customTools ? "carried" : "approximated",
    reasoning_budget: "approximated",
    reasoning: quirks.reasoningText ? "carried" : "dropped",
    "reasoning.signature": quirks.encryptedReasoning ? "carried" : "dropped",
    name: "dropped",
    audio: "dropped",
    // OpenAI's models generate images with a tool, which is billed at another model's price.
    "output.image": "dropped",
    image_config: "dropped",
    "output.audio": "dropped",
    "assistant.image": "approximated",
    // Only OpenAI's newest models support cache breakpoints.
    cache_control: "dropped",
  }
}

const CARRIED = Object.fromEntries(ALL.map((name) => [name, "carried"])) as Record<
  Feature,
  "carried"
>
