import { isJsonObject, type JsonObject, type JsonValue, listAt } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { NO_USAGE, type Usage } from "../../canon/usage.ts"
import { countOf } from "../shared/usage.ts"

/**
 * Decodes usage in classes that never overlap (docs/contribute/wire/bedrock-converse.md#f7). The input excludes cache
 * reads and writes. One-hour cache writes are only reported in `cacheDetails`.
 * @returns undefined if nothing was reported.
 */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const input = quantityOf(value.inputTokens)
  const output = quantityOf(value.outputTokens)
  if (input === undefined && output === undefined) return undefined
  const written = either(value, "cacheWriteInputTokens", "cacheWriteInputTokenCount")
  const long = Math.min(writtenFor("1h", value), written)
  const short = Math.min(writtenFor("5m", value), written - long)
  return {
    ...NO_USAGE,
    inputFresh: input ?? 0,
    inputCacheRead: either(value, "cacheReadInputTokens", "cacheReadInputTokenCount"),
    inputCacheWrite: written - long,
    inputCacheWrite1h: long,
    shortCacheWrite: short,
    output: output ?? 0,
  }
}

/** Returns a count by its name or its older name. Bedrock reports both names, or sometimes only the older one. */
function either(usage: JsonObject, name: string, older: string): number {
  return quantityOf(usage[name]) ?? countOf(usage[older])
}

function writtenFor(ttl: string, usage: JsonObject): number {
  let tokens = 0
  for (const detail of listAt(usage, "cacheDetails")) {
    if (isJsonObject(detail) && detail.ttl === ttl) tokens += countOf(detail.inputTokens)
  }
  return tokens
}
