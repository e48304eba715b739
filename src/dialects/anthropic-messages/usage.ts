import {
  isDefined,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
} from "../../canon/json.ts"
import { GrowingMembers } from "../../canon/response-limits.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { countOf, isCount } from "../shared/usage.ts"
import {
  addUsage,
  cacheWrites,
  NO_USAGE,
  setCostIn,
  totalOutput,
  type Usage,
} from "../../canon/usage.ts"

/**
 * Decodes usage as Anthropic counts it (docs/contribute/wire/anthropic-messages.md#f10). Prompt cache reads and writes
 * are not part of `input_tokens`, but thinking is part of `output_tokens`. One-hour cache writes are part of all cache
 * writes.
 * @returns undefined if nothing was reported.
 */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const usage = decodeCounts(value)
  return usage === undefined ? undefined : withCompaction(usage, listAt(value, "iterations"))
}

/**
 * Maximum number of iterations that are read. A conversation is compacted only a few times, but each report repeats all
 * iterations.
 */
const MAX_ITERATIONS = 100

/** Adds the tokens spent on compacting a long conversation. They are billed, but the counts do not include them. */
function withCompaction(usage: Usage, iterations: readonly JsonValue[]): Usage {
  let sum = usage
  for (const iteration of iterations.slice(0, MAX_ITERATIONS)) {
    if (!isJsonObject(iteration) || iteration.type !== "compaction") continue
    const used = decodeCounts(iteration)
    if (used !== undefined) sum = addUsage(sum, used)
  }
  return sum
}

function decodeCounts(value: JsonObject): Usage | undefined {
  const input = quantityOf(value.input_tokens)
  const output = quantityOf(value.output_tokens)
  if (input === undefined && output === undefined) return undefined
  const lifetimes = objectAt(value, "cache_creation")
  const long = countOf(lifetimes?.ephemeral_1h_input_tokens)
  const short = countOf(lifetimes?.ephemeral_5m_input_tokens)
  const written = Math.max(countOf(value.cache_creation_input_tokens), long + short)
  const inputCacheWrite1h = Math.min(long, written)
  const thinking = countOf(objectAt(value, "output_tokens_details")?.thinking_tokens)
  return {
    ...NO_USAGE,
    inputFresh: input ?? 0,
    inputCacheRead: countOf(value.cache_read_input_tokens),
    inputCacheWrite: written - inputCacheWrite1h,
    inputCacheWrite1h,
    shortCacheWrite: Math.min(short, written - inputCacheWrite1h),
    output: output ?? 0,
    reasoning: Math.min(thinking, output ?? 0),
    searches: countOf(objectAt(value, "server_tool_use")?.web_search_requests),
  }
}

/** Counts that the start of a message already contains. */
const INPUT_COUNTS = new Set([
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
])
const COUNTS = [...INPUT_COUNTS, "output_tokens"]

/**
 * Merges later counts into earlier ones. Later counts replace earlier ones if they are present; counts are never added
 * (docs/contribute/wire/anthropic-messages.md#f9). A zero does not replace an input count, because servers that know
 * the input only at the start report 0 at the end.
 */
export function mergeUsage(
  usage: JsonObject,
  later: JsonObject,
  members = new GrowingMembers(),
): void {
  for (const [name, value] of Object.entries(later)) {
    if (value === null) continue
    const isZero = INPUT_COUNTS.has(name) && countOf(value) === 0
    if (!isZero || typeof usage[name] !== "number") members.set(usage, name, value)
  }
}

/** Returns usage with every member that the official client declares for a whole message. */
export function encodeUsage(usage: Usage): JsonObject {
  return {
    ...encodeCounts(usage),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.inputCacheWrite,
      ephemeral_1h_input_tokens: usage.inputCacheWrite1h + usage.inputCacheWrite12h,
    },
    inference_geo: null,
    service_tier: null,
    speed: null,
  }
}

/** Adds the searches of a response if the vendor does not count them. */
export function withSearches(usage: Usage, searches: number): Usage {
  return searches > usage.searches ? { ...usage, searches } : usage
}

/** Returns the counts that the end of a stream also contains. */
export function encodeCounts(usage: Usage): JsonObject {
  const { reasoning, searches } = usage
  return {
    input_tokens: usage.inputFresh + usage.audioInput + usage.imageInput,
    cache_creation_input_tokens: cacheWrites(usage),
    cache_read_input_tokens: usage.inputCacheRead + usage.audioCacheRead,
    output_tokens: totalOutput(usage),
    output_tokens_details: reasoning > 0 ? { thinking_tokens: reasoning } : null,
    server_tool_use: searches > 0 ? { web_search_requests: searches, web_fetch_requests: 0 } : null,
  }
}

export function setCost(carrier: JsonObject, cost: string): void {
  setCostIn(carrier, "usage", cost)
}

/** Adds the gateway's own count to a message, or to the event that ends it, if the vendor did not report one. */
export function setUsage(carrier: JsonObject, usage: Usage): void {
  carrier.usage = carrier.type === "message_delta" ? encodeCounts(usage) : encodeUsage(usage)
}

/**
 * Converts counts to the whole numbers that are charged. A count that is not a number becomes 0.
 * @returns the same object if all counts are whole numbers already.
 */
export function withCounts(usage: JsonObject): JsonObject {
  let counted = usage
  for (const name of COUNTS) {
    const count = usage[name]
    if (!isDefined(count) || isCount(count)) continue
    counted = { ...counted, [name]: countOf(count) }
  }
  return counted
}

/**
 * Returns the usage of the event that ends a stream. Counts that are missing or reported as 0 are taken from the start
 * of the stream.
 */
export function withStartCounts(usage: JsonObject, start: JsonObject): JsonObject {
  let counted = withCounts(usage)
  if (!isDefined(counted.output_tokens)) {
    counted = { ...counted, output_tokens: countOf(start.output_tokens) }
  }
  for (const name of INPUT_COUNTS) {
    if (counted[name] === 0 && countOf(start[name]) > 0) {
      counted = { ...counted, [name]: countOf(start[name]) }
    }
  }
  return counted
}
