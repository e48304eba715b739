import { isJsonObject, type JsonObject } from "../../src/canon/json.ts"
import type { PriceSettings } from "../../src/config/settings.ts"

/** Prices that differ for each class, so that no mix-up of classes goes unnoticed. */
export const PRICE: PriceSettings = {
  input: "1",
  cached_input: "0.1",
  cache_write: "1.25",
  cache_write_1h: "2",
  output: "4",
  audio_input: "7",
  audio_output: "13",
  image_output: "17",
  search: "5000",
}

/** The prices in nanocredits per unit. The multiplier in tenths is 11, which means 1.1. */
const NANOCREDITS: Readonly<Record<keyof PlainUsage, bigint>> = {
  input: 1_000n,
  cached_input: 100n,
  cache_write: 1_250n,
  cache_write_1h: 2_000n,
  output: 4_000n,
  audio_input: 7_000n,
  audio_output: 13_000n,
  image_output: 17_000n,
  search: 5_000_000n,
  reasoning: 0n,
}
const MULTIPLIER_TENTHS = 11n

/** Usage with the names of a receipt. `reasoning` is a part of `output`. */
export interface PlainUsage {
  readonly input: number
  readonly cached_input: number
  readonly cache_write: number
  readonly cache_write_1h: number
  readonly output: number
  readonly audio_input: number
  readonly audio_output: number
  readonly image_output: number
  readonly search: number
  readonly reasoning: number
}

/**
 * Computes a usage from a vendor's raw usage by the rules of docs/contribute/wire/README.md#f4. Cached, written and
 * audio tokens are part of the prompt. Reasoning is part of the completion, unless the total shows that it is separate
 * (xAI, also if Azure hosts it).
 */
export function plainUsage(raw: JsonObject): PlainUsage {
  const prompt = numberAt(raw, "prompt_tokens")
  const completion = numberAt(raw, "completion_tokens")
  const total = numberAt(raw, "total_tokens")
  const inputDetails = isJsonObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {}
  const outputDetails = isJsonObject(raw.completion_tokens_details)
    ? raw.completion_tokens_details
    : {}
  // Moonshot reports cached tokens next to the details and not within them.
  const read = numberAt(inputDetails, "cached_tokens") || numberAt(raw, "cached_tokens")
  const cached = Math.min(prompt, read)
  const written = numberAt(inputDetails, "cache_write_tokens")
  const audioInput = numberAt(inputDetails, "audio_tokens")
  const audioOutput = numberAt(outputDetails, "audio_tokens")
  const reasoning = numberAt(outputDetails, "reasoning_tokens")
  const isBeside = reasoning > 0 && total === prompt + completion + reasoning
  return {
    input: prompt - cached - written - audioInput,
    cached_input: cached,
    cache_write: written,
    cache_write_1h: 0,
    output: completion + (isBeside ? reasoning : 0) - audioOutput,
    audio_input: audioInput,
    audio_output: audioOutput,
    image_output: 0,
    search: numberAt(raw, "num_search_queries") || searchesOf(raw),
    reasoning,
  }
}

function searchesOf(raw: JsonObject): number {
  const tools = raw.server_tool_use_details
  return isJsonObject(tools) ? numberAt(tools, "web_search_requests") : 0
}

/** Returns the cost at `PRICE` in nanocredits, rounded up once. */
export function plainCost(usage: PlainUsage): bigint {
  let sum = 0n
  for (const [name, price] of Object.entries(NANOCREDITS)) {
    sum += BigInt(usage[name as keyof PlainUsage]) * price
  }
  return (sum * MULTIPLIER_TENTHS + 9n) / 10n
}

/** Returns the usage in the form of a receipt, in which unused classes are absent. */
export function shown(usage: PlainUsage): Record<string, number> {
  return Object.fromEntries(Object.entries(usage).filter(([, quantity]) => quantity !== 0))
}

/** Formats nanocredits as credits, in the gateway's form. */
export function creditsText(nanocredits: bigint): string {
  const fraction = String(nanocredits % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "")
  const whole = String(nanocredits / 1_000_000_000n)
  return fraction === "" ? whole : `${whole}.${fraction}`
}

/** Parses credits as nanocredits. */
export function nanocreditsOf(credits: string): bigint {
  const [whole = "", fraction = ""] = credits.split(".")
  return BigInt(whole + fraction.padEnd(9, "0"))
}

function numberAt(object: JsonObject, name: string): number {
  const value = object[name]
  return typeof value === "number" ? value : 0
}
