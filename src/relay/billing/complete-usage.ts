import { type JsonObject, objectAt } from "../../canon/json.ts"
import { totalInput, totalOutput, type Usage, withInputOf } from "../../canon/usage.ts"
import type { Meter } from "../metering/meter.ts"
import type { CountedUsage } from "./priced-usage.ts"

/** Which reports of usage cover a delivered answer, and what is estimated in place of a missing side (decision 16). */

/** Returns the reported usage if it has the input and the output of everything that was received, of each call. */
export function completeUsage(meter: Meter): Usage | undefined {
  const { usage, parts } = meter
  if (usage === undefined || !meter.isCounted) return undefined
  if (parts.some(isIncomplete)) return undefined
  return hasInput(meter, usage) && hasOutput(meter, usage) ? usage : undefined
}

function isIncomplete(meter: Meter): boolean {
  return completeUsage(meter) === undefined
}

/** Zero is a count of the input in the last report of a finished answer: servers report it for cached prompts. */
function hasInput(meter: Meter, usage: Usage): boolean {
  if (totalInput(usage) > 0) return true
  return meter.finished && meter.isCounted && !lacksInput(meter.reported)
}

/** Every received content has tokens, and text has tokens besides those of the reasoning. */
function hasOutput({ amount, characters, reasoningCharacters }: Meter, usage: Usage): boolean {
  if (amount === 0) return true
  const total = totalOutput(usage)
  const isReasoningOnly = characters === reasoningCharacters
  return total > (isReasoningOnly ? 0 : usage.reasoning + usage.reasoningBeside)
}

/** A usage with the estimated output, and with reported reasoning that the answer does not show. */
function withOutputOf(estimate: Usage, usage: Usage, { reasoningCharacters }: Meter): Usage {
  const { output, reasoning, reasoningBeside, audioOutput, imageOutput } = estimate
  const hidden = reasoningCharacters === 0 && reasoning === 0 ? usage.reasoning : 0
  return {
    ...usage,
    output: output + hidden,
    reasoning: reasoning + hidden,
    reasoningBeside: Math.max(reasoningBeside, usage.reasoningBeside),
    audioOutput,
    imageOutput,
  }
}

/**
 * Completes a reported usage: a side that the report lacks is estimated, the other one stays as reported.
 * @param estimate the gateway's own count.
 */
export function completedUsage(usage: Usage, estimate: Usage, meter: Meter): CountedUsage {
  const input = hasInput(meter, usage) ? usage : withInputOf(estimate, usage)
  // A report before the end may cover only the start: Anthropic begins with one token
  // (docs/wire/anthropic-messages.md#f9).
  const isCovered = meter.isCounted && hasOutput(meter, usage)
  const reported = countsThoughtsOnly(meter.reported) ? 0 : totalOutput(usage)
  if (isCovered || reported >= totalOutput(estimate)) {
    return { usage: input, estimated: input !== usage }
  }
  return { usage: withOutputOf(estimate, input, meter), estimated: true }
}

/** Names of the input, or of its parent, in the usage of all dialects. */
const INPUT_NAMES = [
  "prompt_tokens",
  "input_tokens",
  "promptTokenCount",
  "totalTokenCount",
  "inputTokens",
  "billed_units",
  "tokens",
]

/** Whether a report lacks any count of the input. */
function lacksInput(reported: JsonObject | undefined): boolean {
  const usage = reportedUsage(reported)
  return usage !== undefined && INPUT_NAMES.every((name) => usage[name] === undefined)
}

/** Whether Gemini counts the thoughts, which are not part of the other output, and nothing else of the output. */
function countsThoughtsOnly(reported: JsonObject | undefined): boolean {
  const { thoughtsTokenCount, candidatesTokenCount } = reportedUsage(reported) ?? {}
  return thoughtsTokenCount !== undefined && candidatesTokenCount === undefined
}

function reportedUsage(reported: JsonObject | undefined): JsonObject | undefined {
  if (reported === undefined) return undefined
  const answer = objectAt(reported, "response") ?? reported
  return objectAt(answer, "usage") ?? objectAt(answer, "usageMetadata")
}
