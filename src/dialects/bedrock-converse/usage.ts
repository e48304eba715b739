import { isJsonObject, type JsonObject, type JsonValue, listAt } from "../../canon/json.ts"
import { NO_USAGE, type Usage } from "../../canon/usage.ts"

/**
 * Usage in classes that never overlap (WIRE.md 8): the input excludes what was read from the cache and
 * written to it. What was written for an hour is told apart only in `cacheDetails`.
 *
 * @returns undefined when nothing was reported.
 */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const input = reported(value.inputTokens)
  const output = reported(value.outputTokens)
  if (input === undefined && output === undefined) return undefined
  const written = either(value, "cacheWriteInputTokens", "cacheWriteInputTokenCount")
  const long = Math.min(writtenFor("1h", value), written)
  return {
    ...NO_USAGE,
    inputFresh: input ?? 0,
    inputCacheRead: either(value, "cacheReadInputTokens", "cacheReadInputTokenCount"),
    inputCacheWrite: written - long,
    inputCacheWriteLong: long,
    output: output ?? 0,
  }
}

/** Bedrock says the same under an older name too, and now and then only there. */
function either(usage: JsonObject, name: string, older: string): number {
  return reported(usage[name]) ?? reported(usage[older]) ?? 0
}

function writtenFor(ttl: string, usage: JsonObject): number {
  let tokens = 0
  for (const detail of listAt(usage, "cacheDetails")) {
    if (isJsonObject(detail) && detail.ttl === ttl) tokens += reported(detail.inputTokens) ?? 0
  }
  return tokens
}

/** A whole quantity, or undefined when the vendor gave none. */
function reported(value: JsonValue | undefined): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined
  return Math.max(0, Math.ceil(value))
}
