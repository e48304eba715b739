import { isJsonObject, type JsonObject, type JsonValue, objectAt } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { NO_USAGE, type Usage } from "../../canon/usage.ts"

/**
 * Decodes usage as Cohere reports it, in classes that never overlap (docs/contribute/wire/cohere-chat.md#f5).
 * `billed_units` are the units that Cohere charges for and that a hold can bound. `tokens` also includes tokens that
 * Cohere itself adds to the prompt, so it is used only if nothing was billed. Cached tokens are part of the input and
 * do not reduce the bill. Reasoning is part of the output. The billed input includes image tokens, which `tokens`
 * reports separately: for a recorded image of 259 tokens, `tokens` contained 34 input tokens, and 267 were billed.
 * @returns undefined if nothing was reported.
 */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const billed = objectAt(value, "billed_units")
  const tokens = objectAt(value, "tokens")
  const searches = count(billed, "search_units")
  if (isByTokens(billed)) {
    const inputFresh = count(billed, "input_tokens")
    const output = count(billed, "output_tokens")
    const reasoning = Math.min(count(tokens, "reasoning_tokens"), output)
    return { ...NO_USAGE, inputFresh, output, reasoning, searches }
  }
  if (tokens === undefined && billed === undefined) return undefined
  const input = count(tokens, "input_tokens") + count(tokens, "image_tokens")
  const output = count(tokens, "output_tokens")
  const inputCacheRead = Math.min(count(value, "cached_tokens"), input)
  return {
    ...NO_USAGE,
    inputFresh: input - inputCacheRead,
    inputCacheRead,
    output,
    reasoning: Math.min(count(tokens, "reasoning_tokens"), output),
    searches,
  }
}

/** Whether tokens were billed. Cohere may also bill searches alone. */
function isByTokens(billed: JsonObject | undefined): billed is JsonObject {
  return billed?.input_tokens !== undefined || billed?.output_tokens !== undefined
}

/** Returns an integer member, or 0 if it is absent. */
function count(object: JsonObject | undefined, key: string): number {
  return quantityOf(object?.[key]) ?? 0
}
