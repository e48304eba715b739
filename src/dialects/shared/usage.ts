import { type JsonObject, type JsonValue, objectAt } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { cacheWrites, NO_USAGE, type Usage } from "../../canon/usage.ts"

/** Returns a quantity that a vendor counted; 0 if it is absent. */
export function countOf(value: JsonValue | undefined): number {
  return quantityOf(value) ?? 0
}

/** Input tokens written to a prompt cache, by lifetime. */
type CacheWrites = Pick<
  Usage,
  "inputCacheWrite" | "inputCacheWrite1h" | "inputCacheWrite12h" | "shortCacheWrite"
>

/**
 * Decodes cache writes as OpenAI counts them: `cache_write_tokens`, and by lifetime in `cache_write_tokens_details`. If
 * they are absent, Anthropic's names are read, which Alibaba and LiteLLM use in this format, and Requesty's
 * `caching_tokens` (docs/contribute/wire/openai-chat.md#f8).
 * @param max the total tokens that include the cache writes.
 * @param usage the whole usage, if names of Anthropic may be outside the details.
 */
export function decodeCacheWrites(
  details: JsonObject | undefined,
  max: number,
  usage?: JsonObject,
): CacheWrites {
  const written = Math.min(countOf(details?.cache_write_tokens), max)
  if (written === 0) {
    const hasOthers =
      details !== undefined ||
      usage?.cache_creation_input_tokens !== undefined ||
      usage?.cache_creation !== undefined
    return hasOthers ? anthropicWrites(details ?? {}, max, usage ?? {}) : NO_CACHE_WRITES
  }
  const lifetimes = objectAt(details ?? {}, "cache_write_tokens_details")
  const inputCacheWrite12h = Math.min(countOf(lifetimes?.ttl_12h_tokens), written)
  const inputCacheWrite = written - inputCacheWrite12h
  const shortCacheWrite = Math.min(countOf(lifetimes?.ttl_30m_tokens), inputCacheWrite)
  return { inputCacheWrite, inputCacheWrite1h: 0, inputCacheWrite12h, shortCacheWrite }
}

function anthropicWrites(details: JsonObject, max: number, usage: JsonObject): CacheWrites {
  const total =
    details.cache_creation_input_tokens ??
    details.cache_creation_tokens ??
    details.caching_tokens ??
    usage.cache_creation_input_tokens
  const lifetimes =
    objectAt(details, "cache_creation") ??
    objectAt(details, "cache_creation_token_details") ??
    objectAt(usage, "cache_creation")
  const long = countOf(lifetimes?.ephemeral_1h_input_tokens)
  const short = countOf(lifetimes?.ephemeral_5m_input_tokens)
  const written = Math.min(Math.max(countOf(total), long + short), max)
  if (written === 0) return NO_CACHE_WRITES
  const inputCacheWrite1h = Math.min(long, written)
  const inputCacheWrite = written - inputCacheWrite1h
  const shortCacheWrite = Math.min(short, inputCacheWrite)
  return { inputCacheWrite, inputCacheWrite1h, inputCacheWrite12h: 0, shortCacheWrite }
}

const NO_CACHE_WRITES: CacheWrites = NO_USAGE

/** Encodes cache writes as OpenAI reports them. */
export function encodeCacheWrites(usage: Usage): JsonObject {
  const written = cacheWrites(usage)
  const long = usage.inputCacheWrite12h
  const lifetimes = { ttl_30m_tokens: written - long, ttl_12h_tokens: long }
  return {
    cache_write_tokens: written,
    ...(long > 0 && { cache_write_tokens_details: lifetimes }),
  }
}

/** Whether a value is a valid count, a whole number of at least 0. */
export function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
}
