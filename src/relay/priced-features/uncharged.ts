import {
  INPUT_CLASSES,
  NAME_OF_CLASS,
  OUTPUT_CLASSES,
  type UsageClass,
} from "#contract/usage-classes.ts"
import { isJsonObject, type JsonObject, objectAt } from "../../canon/json.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Cost } from "../../ledger/price.ts"

/** Findings about usage that are reported to the operator. */
interface UnchargedAlarms {
  usageUncharged(request: string, deployment: string, name: string): void
}

/** The report of a response, and the data of its charge. */
interface Answered {
  /** The frame or response that contains the usage. */
  readonly reported: JsonObject | undefined
  readonly cost: Cost
  /** Reported service modes without a price. */
  readonly unpriced: readonly string[]
}

/** Maximum number of different names that are reported. Further names are not reported. */
const MAX_REPORTED = 1_000

/** Names of numbers in vendors' usage that are charged, are part of a charged number, or are free. */
const KNOWN: ReadonlySet<string> = new Set([
  // The names of all numbers that dialects decode.
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "num_cached_tokens",
  "cache_write_tokens",
  "cache_creation_tokens",
  "caching_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "ephemeral_5m_input_tokens",
  "ephemeral_1h_input_tokens",
  "ttl_30m_tokens",
  "ttl_12h_tokens",
  "prompt_cache_hit_tokens",
  "prompt_cache_miss_tokens",
  "reasoning_tokens",
  "thinking_tokens",
  "audio_tokens",
  "audio_prompt_tokens",
  "image_tokens",
  "text_tokens",
  "video_tokens",
  "input_audio_tokens",
  "input_image_tokens",
  "input_text_tokens",
  "output_text_tokens",
  "output_reasoning_tokens",
  "accepted_prediction_tokens",
  "rejected_prediction_tokens",
  "citation_tokens",
  "num_search_queries",
  "web_search_requests",
  "search_units",
  "promptTokenCount",
  "candidatesTokenCount",
  "totalTokenCount",
  "cachedContentTokenCount",
  "thoughtsTokenCount",
  "toolUsePromptTokenCount",
  "tokenCount",
  "textCount",
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "cacheReadInputTokens",
  "cacheWriteInputTokens",
  "cacheReadInputTokenCount",
  "cacheWriteInputTokenCount",
  "web_search_calls",
  "x_search_calls",
  "code_interpreter_calls",
  "file_search_calls",
  "attachment_search_calls",
  "document_search_calls",
  // Numbers that cost nothing in addition to their tokens.
  "web_fetch_requests",
  "mcp_calls",
  "tool_search_requests",
  "num_sources_used",
  "request_count",
  // Durations, costs that the vendor charges the operator, and sums of numbers that are reported elsewhere.
  "prompt_time",
  "completion_time",
  "queue_time",
  "total_time",
  "cost",
  "cost_in_usd_ticks",
  "tool_calls_requested",
  "tool_calls_executed",
  "num_server_side_tools_used",
])

/** Members of usage objects that are skipped, because their numbers are repeated elsewhere or are amounts of money. */
const SKIPPED: ReadonlySet<string> = new Set([
  "cost",
  "cost_details",
  "context_details",
  "iterations",
])

/**
 * Finds numbers in vendors' usage that are not charged, because no usage class covers them or the class has no price.
 * Each is reported to the operator once. A service mode without a price is also reported once.
 */
export class UnchargedUsage {
  readonly #alarms: UnchargedAlarms
  readonly #reported = new Set<string>()

  constructor(alarms: UnchargedAlarms) {
    this.#alarms = alarms
  }

  check(request: string, deployment: Deployment, { reported, cost, unpriced }: Answered): void {
    for (const name of unpriced) this.#report(request, deployment.id, name)
    const usage = reported === undefined ? undefined : usageIn(reported)
    const unknown = usage === undefined ? undefined : findUnknown(usage, undefined)
    if (unknown !== undefined)
      for (const name of unknown) this.#report(request, deployment.id, name)
    for (const { class: usageClass, rate } of cost.lines) {
      if (rate > 0n || deployment.price?.rates.inputFresh === 0n) continue
      if (deployment.price?.rates[usageClass] === undefined && !NEED_NO_RATE.has(usageClass)) {
        this.#report(request, deployment.id, NAME_OF_CLASS[usageClass])
      }
    }
  }

  #report(request: string, deployment: string, name: string): void {
    const key = `${deployment} ${name}`
    if (this.#reported.has(key) || this.#reported.size >= MAX_REPORTED) return
    this.#reported.add(key)
    this.#alarms.usageUncharged(request, deployment, name)
  }
}

/**
 * Classes that need no rate. Tokens without a separate rate cost as much as the class that contains them, even if that
 * class is free. Images may be billed by their tokens.
 */
const NEED_NO_RATE: ReadonlySet<UsageClass> = new Set([
  ...INPUT_CLASSES,
  ...OUTPUT_CLASSES,
  "images",
])

/** Returns the usage object of a response, or of the frame of a stream that reports it. */
export function usageIn(reported: JsonObject): JsonObject | undefined {
  const carrier =
    objectAt(reported, "response") ??
    objectAt(reported, "message") ??
    objectAt(reported, "metadata") ??
    objectAt(reported, "x_groq") ??
    objectAt(reported, "delta") ??
    reported
  return (
    objectAt(carrier, "usage") ?? objectAt(reported, "usage") ?? objectAt(carrier, "usageMetadata")
  )
}

/**
 * Adds the names of unknown numbers in a usage object to a list. A usage object is two levels deep and may contain
 * lists of parts.
 * @returns the list; undefined if there are none.
 */
function findUnknown(usage: JsonObject, found: string[] | undefined): string[] | undefined {
  let names = found
  for (const name in usage) {
    const value = usage[name]
    if (typeof value === "number") {
      if (value > 0 && !KNOWN.has(name)) (names ??= []).push(name)
    } else if (isJsonObject(value) && !SKIPPED.has(name)) {
      names = findUnknown(value, names)
    }
  }
  return names
}
