import type { Writable } from "../../canon/writable.ts"
import { invalidType, unsupportedValue } from "../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  shown,
} from "../../canon/json.ts"
import type { CacheMarker, Message, Part } from "../../canon/message.ts"
import type { LossList } from "../shared/losses.ts"

const LIFETIMES: readonly string[] = ["5m", "1h"]

/** Decodes a `cache_control`, which most blocks, tools and the request itself can have. */
export function decodeCache(
  value: JsonValue | undefined,
  nameOfOwner: () => string,
): CacheMarker | undefined {
  if (!isDefined(value)) return undefined
  const { type, ttl } = isJsonObject(value) ? value : {}
  if (type === "ephemeral") {
    if (!isDefined(ttl)) return {}
    if (typeof ttl === "string" && LIFETIMES.includes(ttl)) return { ttl }
  }
  const name = `${nameOfOwner()}cache_control`
  if (!isJsonObject(value)) throw invalidType(name, "an object", value)
  if (type === "ephemeral") throw unsupportedValue(`${name}.ttl`, shown(ttl), LIFETIMES)
  throw unsupportedValue(`${name}.type`, shown(type), ["ephemeral"])
}

/** Returns a cache marker as members of a block or tool; no members without a marker. */
export function encodeCache(cache: CacheMarker | undefined, losses: LossList): JsonObject {
  if (cache === undefined) return {}
  const { ttl } = cache
  if (ttl === undefined) return { cache_control: { type: "ephemeral" } }
  if (LIFETIMES.includes(ttl)) return { cache_control: { type: "ephemeral", ttl } }
  losses.add("cache_control", "approximated")
  return { cache_control: { type: "ephemeral" } }
}

/** Applies a marker on the request itself, which stands for a marker on the last block that can have one. */
export function markLast(messages: readonly Message[], cache: CacheMarker): void {
  const part = messages.at(-1)?.parts.findLast(isCacheable)
  if (part !== undefined && part.cache === undefined) part.cache = cache
}

type CacheablePart = Writable<Extract<Part, { cache?: CacheMarker }>>

function isCacheable(part: Part): part is CacheablePart {
  switch (part.type) {
    case "text":
    case "image":
    case "file":
    case "tool-call":
    case "tool-result":
      return true
    default:
      return false
  }
}
