import { isJsonObject, type JsonObject, type JsonValue, objectAt } from "../../canon/json.ts"
import { NO_USAGE, type Usage } from "../../canon/usage.ts"
import { countOf } from "../shared/usage.ts"

/**
 * Decodes usage as Cohere reports it, in classes that never overlap (docs/contribute/wire/cohere-chat.md#f5).
 * `billed_units` are the units that Cohere charges for and that a hold can bound. `tokens` also includes tokens that
 * Cohere itself adds to the prompt, so it is used only if nothing was billed. Cached tokens are part of the input and
 * do not reduce the bill. Reasoning is part of the output. The billed input includes image tokens, which `tokens`
 * reports separately. In a recording with an image of 259 tokens, `tokens` contained 34 input tokens, and 267 were
 * billed.
 * @returns undefined if nothing was reported.
 */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const billed = objectAt(value, "billed_units")
  const tokens = objectAt(value, "tokens")
  const searches = countOf(billed?.search_units)
  if (isByTokens(billed)) {
    const inputFresh = countOf(billed?.input_tokens)
    const output = countOf(billed?.output_tokens)
    const reasoning = Math.min(countOf(tokens?.reasoning_tokens), output)
    return { ...NO_USAGE, inputFresh, output, reasoning, searches }
  }
  if (tokens === undefined && billed === undefined) return undefined
  const input = countOf(tokens?.input_tokens) + countOf(tokens?.image_tokens)
  const output = countOf(tokens?.output_tokens)
  const inputCacheRead = Math.min(countOf(value.cached_tokens), input)
  return {
    ...NO_USAGE,
    inputFresh: input - inputCacheRead,
    inputCacheRead,
    output,
    reasoning: Math.min(countOf(tokens?.reasoning_tokens), output),
    searches,
  }
}

/** Whether tokens were billed. Cohere may also bill searches alone. */
function isByTokens(billed: JsonObject | undefined): billed is JsonObject {
  return billed?.input_tokens !== undefined || billed?.output_tokens !== undefined
}
