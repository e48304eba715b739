import { type JsonObject, type JsonValue, isJsonObject, objectAt } from "../../canon/json.ts"
import { NO_USAGE, type Usage } from "../../canon/usage.ts"

/**
 * Usage as Cohere reports it, in classes that never overlap (WIRE.md 7 and 8). `tokens` is what the
 * model read and wrote; `billed_units` leaves out what Cohere itself puts around the prompt, and is
 * taken only where there are no tokens. Cached tokens are part of the input, reasoning of the output.
 * Tokens of pictures stand beside the input: a recorded picture of 259 tokens came with 34 of input.
 *
 * @returns undefined when nothing was reported.
 */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const billed = objectAt(value, "billed_units")
  const tokens = objectAt(value, "tokens")
  const counted = tokens ?? billed
  if (counted === undefined) return undefined
  const input = count(counted, "input_tokens") + count(counted, "image_tokens")
  const output = count(counted, "output_tokens")
  const inputCacheRead = Math.min(count(value, "cached_tokens"), input)
  return {
    ...NO_USAGE,
    inputFresh: input - inputCacheRead,
    inputCacheRead,
    output,
    reasoning: Math.min(count(counted, "reasoning_tokens"), output),
    searches: count(billed, "search_units"),
  }
}

/** A whole quantity, 0 when none was given. */
function count(object: JsonObject | undefined, key: string): number {
  const value = object?.[key]
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? Math.ceil(value) : 0
}
