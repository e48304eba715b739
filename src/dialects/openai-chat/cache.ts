import { isJsonObject, type JsonObject } from "../../canon/json.ts"
import type { CacheMarker } from "../../canon/message.ts"
import type { LossList } from "../shared/losses.ts"
import type { OpenAiChatQuirks } from "./quirks/index.ts"

/**
 * The field that marks the end of a cached prompt prefix on content parts and tools. It is Anthropic's `cache_control`,
 * which OpenRouter and similar vendors accept in this dialect (docs/contribute/wire/anthropic-messages.md#f2).
 */
export const CACHE_FIELD = "cache_control"

/**
 * Separates the cache marker from the other unknown members of a part or tool. Markers of an unknown kind stay among
 * these members.
 */
export function takeCache(unknown: JsonObject | undefined): {
  readonly cache?: CacheMarker
  readonly extra?: JsonObject
} {
  const marker = unknown?.[CACHE_FIELD]
  if (unknown === undefined) return {}
  if (!isJsonObject(marker) || marker.type !== "ephemeral") return { extra: unknown }
  const { [CACHE_FIELD]: _, ...extra } = unknown
  const { ttl } = marker
  const cache = typeof ttl === "string" ? { ttl } : {}
  return Object.keys(extra).length === 0 ? { cache } : { cache, extra }
}

/** Returns the cache marker as a member of a part or a tool; no member if the vendor does not accept markers. */
export function encodeCache(
  cache: CacheMarker | undefined,
  quirks: OpenAiChatQuirks,
  losses: LossList,
): JsonObject | undefined {
  if (cache === undefined) return undefined
  if (!quirks.cacheControl) {
    losses.add(CACHE_FIELD)
    return undefined
  }
  const { ttl } = cache
  const marker = ttl === undefined ? { type: "ephemeral" } : { type: "ephemeral", ttl }
  return { [CACHE_FIELD]: marker }
}
