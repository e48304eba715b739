import type { AnswerLimits } from "../../canon/dialect.ts"
import { type Feature, FEATURES, type Support } from "../../canon/features.ts"
import type { OpenAiResponsesQuirks } from "./quirks.ts"

/** What a caller cannot say in this dialect. */
const UNSAID: ReadonlySet<Feature> = new Set([
  "top_k",
  "stop",
  "seed",
  "n",
  "reasoning_budget",
  "tool_result.failed",
  "name",
])

const ALL = Object.keys(FEATURES) as Feature[]

/** What callers of this dialect can ask for. */
export const EXPRESSES: ReadonlySet<Feature> = new Set(ALL.filter((name) => !UNSAID.has(name)))

/** There is no word for stop sequences, and OpenAI refuses a smaller `max_output_tokens`. */
export const ANSWER_LIMITS: AnswerLimits = {
  stops: 0,
  blankStops: false,
  reportedStops: 0,
  minOutput: 16,
}

/**
 * What becomes of each thing at a vendor with these quirks (docs/wire/openai-responses.md#f1, OpenAI's
 * OpenAPI description).
 */
export function supportOf(quirks: OpenAiResponsesQuirks): Readonly<Record<Feature, Support>> {
  const penalties = quirks.penalties ? "carried" : "dropped"
  return {
    ...CARRIED,
    top_k: "dropped",
    seed: "dropped",
    n: "approximated",
    presence_penalty: penalties,
    frequency_penalty: penalties,
    // Asked for, but only a caller of this dialect can read them as they come.
    logprobs: "approximated",
    "tool_result.failed": "dropped",
    "tools.grammar": quirks.customTools ? "carried" : "approximated",
    reasoning_budget: "approximated",
    reasoning: quirks.reasoningText ? "carried" : "dropped",
    "reasoning.signature": quirks.encryptedReasoning ? "carried" : "dropped",
    name: "dropped",
    audio: "dropped",
    // OpenAI's breakpoints are known only to its newest models.
    cache_control: "dropped",
  }
}

const CARRIED = Object.fromEntries(ALL.map((name) => [name, "carried"])) as Record<
  Feature,
  "carried"
>
