import { type JsonObject, objectAt } from "../../canon/json.ts"
import { totalInput, totalOutput, type Usage, withInputOf } from "../../canon/usage.ts"
import type { Meter } from "../metering/meter.ts"
import type { CountedUsage } from "./priced-usage.ts"
import { CHARACTERS_OF_TOKEN } from "./provider-cost.ts"

/** Returns the reported usage if it covers all content received from each call (decision 16). */
export function fullUsage(meter: Meter): Usage | undefined {
  const { usage, parts } = meter
  if (usage === undefined || !meter.isCounted) return undefined
  if (parts.some(isIncomplete)) return undefined
  return hasInput(meter, usage) && hasOutput(meter, usage) ? usage : undefined
}

function isIncomplete(meter: Meter): boolean {
  return fullUsage(meter) === undefined
}

/**
 * Whether a report counts the input. A count of zero is valid in the last report of a finished response, because
 * servers report it for cached prompts.
 */
function hasInput(meter: Meter, usage: Usage): boolean {
  if (totalInput(usage) > 0) return true
  return meter.finished && meter.isCounted && !lacksInput(meter.reported)
}

/**
 * Whether a report counts the output. A count of zero is invalid after content was received, because all content has
 * tokens.
 */
function hasOutput(meter: Meter, usage: Usage): boolean {
  return meter.amount === 0 || countedOutput(meter, usage) > 0
}

/**
 * Returns the tokens that a report counts for the received content. Gemini counts thoughts separately from other
 * output, so thoughts are subtracted if other output was received. In all other formats, reasoning is a part of the
 * output, although some vendors report more reasoning than output.
 */
function countedOutput(meter: Meter, usage: Usage): number {
  const thoughts = meter.hasResponse && isOfGemini(meter.reported) ? usage.reasoning : 0
  return totalOutput(usage) - thoughts
}

/** Returns the usage with the estimated output. Reported reasoning is kept unless the response contains more. */
function withOutputOf(estimate: Usage, usage: Usage, meter: Meter): Usage {
  const { output, reasoning, reasoningBeside, audioOutput, imageOutput } = estimate
  const more = usage.reasoning === 0 ? 0 : unestimatedReasoning(estimate, usage, meter)
  return {
    ...usage,
    output: output + more,
    reasoning: Math.max(reasoning, usage.reasoning),
    reasoningBeside: Math.max(reasoningBeside, usage.reasoningBeside),
    audioOutput,
    imageOutput,
  }
}

/**
 * Returns the reported reasoning tokens that the estimate does not include. Tokens that were estimated from the length
 * of a signature do not count as included.
 */
function unestimatedReasoning(
  { output, reasoning }: Usage,
  usage: Usage,
  { characters, reasoningCharacters, other }: Meter,
): number {
  const signed = Math.ceil(other.reasoningCharacters / CHARACTERS_OF_TOKEN)
  const text = output - reasoning - Math.ceil(other.characters / CHARACTERS_OF_TOKEN)
  const share = characters === 0 ? 0 : reasoningCharacters / characters
  const shown = reasoning + Math.floor(text * share)
  return Math.max(usage.reasoning, shown) - shown - signed
}

/**
 * Completes a reported usage. If the report lacks input or output, that side is estimated, and the other side is kept
 * as reported.
 * @param estimate the gateway's own count.
 */
export function completedUsage(usage: Usage, estimate: Usage, meter: Meter): CountedUsage {
  const input = hasInput(meter, usage) ? usage : withInputOf(estimate, usage)
  // A report before the end may cover only the start of a response. Anthropic starts with one token
  // (docs/contribute/wire/anthropic-messages.md#f9).
  const isCovered = meter.isCounted && hasOutput(meter, usage)
  if (isCovered || countedOutput(meter, usage) >= totalOutput(estimate)) {
    return { usage: input, estimated: input !== usage }
  }
  return { usage: withOutputOf(estimate, input, meter), estimated: true }
}

/** Names of members in the usage of all dialects that count the input, or that contain such a count. */
const INPUT_NAMES = [
  "prompt_tokens",
  "input_tokens",
  "promptTokenCount",
  "totalTokenCount",
  "inputTokens",
  "billed_units",
  "tokens",
]

/** Whether a report has no count of the input. */
function lacksInput(reported: JsonObject | undefined): boolean {
  const usage = reportedUsage(reported)
  return usage !== undefined && INPUT_NAMES.every((name) => usage[name] === undefined)
}

/** Whether a report has the form of Gemini, which counts thoughts separately from other output. */
export function isOfGemini(reported: JsonObject | undefined): boolean {
  return reported !== undefined && objectAt(responseIn(reported), "usageMetadata") !== undefined
}

function reportedUsage(reported: JsonObject | undefined): JsonObject | undefined {
  if (reported === undefined) return undefined
  const response = responseIn(reported)
  return objectAt(response, "usage") ?? objectAt(response, "usageMetadata")
}

function responseIn(reported: JsonObject): JsonObject {
  return objectAt(reported, "response") ?? reported
}
