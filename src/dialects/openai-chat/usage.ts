import { isJsonObject, type JsonObject, type JsonValue, objectAt } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { cacheWrites, setCostIn, totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import { countOf, decodeCacheWrites, encodeCacheWrites, isCount } from "../shared/usage.ts"

/**
 * Decodes usage as vendors of this dialect report it, in classes that never overlap
 * (docs/contribute/wire/openai-chat.md#f8 and docs/contribute/wire/README.md#f4). Cache reads, cache writes and audio
 * tokens are part of the prompt. Tokens of the total that are in neither prompt nor completion are output (xAI's
 * reasoning, Gemini's hidden thoughts), or prompt if the vendor reports no prompt. If a vendor reports more cached
 * tokens than prompt tokens, they are capped at the prompt.
 * @returns undefined if nothing was reported.
 */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const written = quantityOf(value.prompt_tokens ?? value.input_tokens)
  const completion = quantityOf(value.completion_tokens ?? value.output_tokens)
  const total = quantityOf(value.total_tokens)
  // If only a total is reported, it could be input, output or hidden reasoning.
  if (written === undefined && completion === undefined) return undefined
  const known = written ?? 0
  const rest = Math.max(0, (total ?? 0) - (completion ?? 0))
  const prompt = known === 0 && completion !== undefined ? rest : known + audioBeside(value, known)
  const input = inputClasses(value, prompt)
  const visible = prompt + (completion ?? 0)
  const hidden = Math.max(0, (total ?? 0) - visible)
  const allOutput = (completion ?? 0) + hidden
  const details = objectAt(value, "completion_tokens_details")
  const audioOutput = Math.min(countOf(details?.audio_tokens), allOutput)
  const imageOutput = Math.min(countOf(details?.image_tokens), allOutput - audioOutput)
  const output = allOutput - audioOutput - imageOutput
  // All members are written out, because every request runs this code and spreading objects takes six times as long.
  return {
    inputFresh: input.inputFresh,
    inputCacheRead: input.inputCacheRead,
    inputCacheWrite: input.inputCacheWrite,
    inputCacheWrite1h: input.inputCacheWrite1h,
    inputCacheWrite12h: input.inputCacheWrite12h,
    shortCacheWrite: input.shortCacheWrite,
    output,
    reasoning: Math.min(quantityOf(details?.reasoning_tokens) ?? hidden, output),
    audioInput: input.audioInput,
    imageInput: input.imageInput,
    audioCacheRead: 0,
    audioOutput,
    imageOutput,
    reasoningBeside: separateReasoning(value),
    images: 0,
    characters: 0,
    seconds: 0,
    searches: searches(value),
    premiumSearches: 0,
    mapSearches: 0,
    fileSearches: 0,
    codeSessions: 0,
    requests: 0,
    mediumRequests: value.search_context_size === "medium" ? 1 : 0,
    lowRequests: value.search_context_size === "low" ? 1 : 0,
  }
}

/** Encodes usage as OpenAI reports it, with every member present. */
export function encodeUsage(usage: Usage): JsonObject {
  const prompt = totalInput(usage)
  const completion = totalOutput(usage)
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.inputCacheRead + usage.audioCacheRead,
      audio_tokens: usage.audioInput,
      ...(usage.imageInput > 0 ? { image_tokens: usage.imageInput + usage.inputCacheRead } : {}),
      ...(cacheWrites(usage) > 0 ? encodeCacheWrites(usage) : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
      ...(usage.imageOutput > 0 ? { image_tokens: usage.imageOutput } : {}),
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...(usage.searches > 0 ? { num_search_queries: usage.searches } : {}),
  }
}

/** Adds the cost to the usage of a whole response, or of the last chunk. */
export function setCost(carrier: JsonObject, cost: string): void {
  setCostIn(carrier, "usage", cost)
}

/**
 * Adds the gateway's own count if the vendor did not report one, in a whole response or in the chunk that contains the
 * usage.
 */
export function setUsage(carrier: JsonObject, usage: Usage): void {
  carrier.usage = encodeUsage(usage)
}

/** Returns the usage of a chunk from the usual place, or from Groq's (docs/contribute/wire/openai-chat.md#f21). */
export function chunkUsage(chunk: JsonObject): JsonObject | undefined {
  if (isJsonObject(chunk.usage)) return chunk.usage
  if (chunk.x_groq === undefined) return undefined
  const groq = objectAt(chunk, "x_groq")
  return groq === undefined ? undefined : objectAt(groq, "usage")
}

/** Returns the usage from the only choice of a response or a chunk, which is where Moonshot's streams report it. */
export function choiceUsage(choices: readonly JsonValue[]): JsonObject | undefined {
  const [choice] = choices
  return choices.length === 1 && isJsonObject(choice) ? objectAt(choice, "usage") : undefined
}

type InputClasses = Pick<
  Usage,
  | "inputFresh"
  | "inputCacheRead"
  | "inputCacheWrite"
  | "inputCacheWrite1h"
  | "inputCacheWrite12h"
  | "shortCacheWrite"
  | "audioInput"
  | "imageInput"
>

function inputClasses(usage: JsonObject, prompt: number): InputClasses {
  const details = objectAt(usage, "prompt_tokens_details")
  const cached =
    quantityOf(details?.cached_tokens) ??
    quantityOf(usage.prompt_cache_hit_tokens) ??
    quantityOf(usage.cached_tokens) ??
    countOf(usage.cache_read_input_tokens)
  const inputCacheRead = Math.min(cached, prompt)
  // Perplexity counts the sources that it reads separately from the prompt, and bills them as input.
  let rest = prompt - inputCacheRead + countOf(usage.citation_tokens)
  const writes = decodeCacheWrites(details, rest, usage)
  const { inputCacheWrite, inputCacheWrite1h, inputCacheWrite12h, shortCacheWrite } = writes
  rest -= inputCacheWrite + inputCacheWrite1h + inputCacheWrite12h
  const audioInput = Math.min(countOf(details?.audio_tokens), rest)
  rest -= audioInput
  // Cached tokens may include images, because a cached prompt prefix may contain images.
  const imageInput = Math.min(Math.max(0, countOf(details?.image_tokens) - inputCacheRead), rest)
  return {
    inputFresh: rest - imageInput,
    inputCacheRead,
    inputCacheWrite,
    inputCacheWrite1h,
    inputCacheWrite12h,
    shortCacheWrite,
    audioInput,
    imageInput,
  }
}

/**
 * Returns Mistral's audio tokens (Voxtral). They are not part of the prompt, but the difference between the total and
 * the sum of prompt and completion.
 */
function audioBeside(usage: JsonObject, prompt: number): number {
  const audio = countOf(objectAt(usage, "prompt_tokens_details")?.audio_tokens)
  if (audio === 0) return 0
  const beyond = countOf(usage.total_tokens) - prompt - countOf(usage.completion_tokens)
  return beyond === audio ? audio : 0
}

/**
 * Returns the reasoning tokens that Perplexity's research models count separately from the completion, at a separate
 * price.
 */
function separateReasoning(usage: JsonObject): number {
  return usage.citation_tokens === undefined ? 0 : countOf(usage.reasoning_tokens)
}

/** Returns the number of searches, as Perplexity and OpenRouter report it. */
function searches(usage: JsonObject): number {
  const own = quantityOf(usage.num_search_queries)
  if (own !== undefined) return own
  // OpenRouter's documentation and its responses use different names.
  const tools = objectAt(usage, "server_tool_use_details") ?? objectAt(usage, "server_tool_use")
  return countOf(tools?.web_search_requests)
}

/** Returns usage whose counts add up to the charged amounts; the same object if they already do. */
export function withTotal(usage: JsonObject): JsonObject {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
  if (isCount(prompt) && isCount(completion) && total === prompt + completion) {
    if (audioBeside(usage, prompt) === 0) return usage
  }
  const counted = decodeUsage(usage)
  if (counted === undefined) return usage
  const [input, output] = [totalInput(counted), totalOutput(counted)]
  return { ...usage, prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}
