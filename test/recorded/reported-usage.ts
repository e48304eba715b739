import type { DialectId } from "../../src/canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import { type PlainUsage, plainUsage } from "./plain-price.ts"
import { list, object } from "./reading.ts"

const NOTHING: PlainUsage = {
  input: 0,
  cached_input: 0,
  cache_write: 0,
  cache_write_1h: 0,
  output: 0,
  audio_input: 0,
  audio_output: 0,
  image_output: 0,
  search: 0,
  reasoning: 0,
}

/**
 * Returns the usage in a response by the rules of docs/contribute/wire/README.md#f4. Returns undefined if there is no
 * usage, or if all counts are zero, as in recordings without numbers.
 */
export function toldUsage(dialect: DialectId, body: JsonObject): PlainUsage | undefined {
  const usage = dialect === "gemini" ? body.usageMetadata : body.usage
  const told = isJsonObject(usage) ? READERS[dialect](usage, body) : NOTHING
  return Object.values(told).some((quantity) => quantity > 0) ? told : undefined
}

type Reader = (usage: JsonObject, body: JsonObject) => PlainUsage

const READERS: Readonly<Record<DialectId, Reader>> = {
  "openai-chat": plainUsage,
  "openai-responses": responseUsage,
  "anthropic-messages": messageUsage,
  gemini: geminiUsage,
  "bedrock-converse": converseUsage,
  "cohere-chat": cohereUsage,
}

/**
 * Returns the usage of a Responses API response. Input tokens include cached and written tokens, and output tokens
 * include reasoning.
 */
function responseUsage(usage: JsonObject, body: JsonObject): PlainUsage {
  const { cached_tokens: cached, cache_write_tokens: written } = object(usage.input_tokens_details)
  const searches = object(object(body.tool_usage).web_search).num_requests
  return {
    ...NOTHING,
    input: count(usage.input_tokens) - count(cached) - count(written),
    cached_input: count(cached),
    cache_write: count(written),
    output: count(usage.output_tokens),
    search: count(searches),
    reasoning: count(object(usage.output_tokens_details).reasoning_tokens),
  }
}

/**
 * Returns the usage of a message. Cached and written tokens are separate from the input. Usage for shortening the
 * conversation is billed too, but it is not part of the sums.
 */
function messageUsage(usage: JsonObject): PlainUsage {
  const sum = { ...countsOf(usage) }
  for (const iteration of list(usage.iterations)) {
    if (object(iteration).type !== "compaction") continue
    for (const [name, count] of Object.entries(countsOf(object(iteration)))) {
      sum[name as keyof PlainUsage] += count
    }
  }
  return sum
}

function countsOf(usage: JsonObject): PlainUsage {
  const long = count(object(usage.cache_creation).ephemeral_1h_input_tokens)
  return {
    ...NOTHING,
    input: count(usage.input_tokens),
    cached_input: count(usage.cache_read_input_tokens),
    cache_write: count(usage.cache_creation_input_tokens) - long,
    cache_write_1h: long,
    output: count(usage.output_tokens),
    search: count(object(usage.server_tool_use).web_search_requests),
    reasoning: count(object(usage.output_tokens_details).thinking_tokens),
  }
}

/**
 * Returns the usage of a Gemini response. The prompt includes cached tokens, and thoughts are separate from the
 * candidates (docs/contribute/wire/README.md#f4).
 */
function geminiUsage(usage: JsonObject): PlainUsage {
  const cached = count(usage.cachedContentTokenCount)
  const prompt = count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount)
  const heard =
    tokensOf("AUDIO", usage.promptTokensDetails) - tokensOf("AUDIO", usage.cacheTokensDetails)
  const spoken = tokensOf("AUDIO", usage.candidatesTokensDetails)
  const drawn = tokensOf("IMAGE", usage.candidatesTokensDetails)
  const thoughts = count(usage.thoughtsTokenCount)
  return {
    ...NOTHING,
    input: prompt - cached - heard,
    cached_input: cached,
    output: count(usage.candidatesTokenCount) - spoken - drawn + thoughts,
    audio_input: heard,
    audio_output: spoken,
    image_output: drawn,
    reasoning: thoughts,
  }
}

function tokensOf(kind: string, details: JsonValue | undefined): number {
  const counted = list(details).find(({ modality }) => modality === kind)
  return count(counted?.tokenCount)
}

/** Returns the usage of a Converse response. Some models report cached tokens only under older names. */
function converseUsage(usage: JsonObject): PlainUsage {
  return {
    ...NOTHING,
    input: count(usage.inputTokens),
    cached_input: count(usage.cacheReadInputTokens ?? usage.cacheReadInputTokenCount),
    cache_write: count(usage.cacheWriteInputTokens ?? usage.cacheWriteInputTokenCount),
    output: count(usage.outputTokens),
  }
}

/** Returns the units that Cohere bills, including images. Cohere's internal tokens are excluded. */
function cohereUsage(usage: JsonObject): PlainUsage {
  const billed = object(usage.billed_units)
  return {
    ...NOTHING,
    input: count(billed.input_tokens),
    output: count(billed.output_tokens),
    search: count(billed.search_units),
    reasoning: count(object(usage.tokens).reasoning_tokens),
  }
}

/** Returns the usage that a dialect can express. Google's dialect has no field for tokens written to a cache. */
export function totalsIn(dialect: DialectId, usage: PlainUsage): Readonly<Record<string, number>> {
  const all = totals(usage)
  if (dialect !== "gemini") return all
  return { ...all, input: (all.input ?? 0) + (all.written ?? 0), written: 0 }
}

/** Returns the usage that most dialects can express. */
export function totals(usage: PlainUsage): Readonly<Record<string, number>> {
  return {
    input: usage.input + usage.audio_input,
    cached: usage.cached_input,
    written: usage.cache_write + usage.cache_write_1h,
    output: usage.output + usage.audio_output + usage.image_output,
    reasoning: usage.reasoning,
  }
}

function count(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0
}
