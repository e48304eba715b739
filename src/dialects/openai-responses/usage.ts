import { type JsonObject, objectAt } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import {
  cacheWrites,
  NO_USAGE,
  setCostIn,
  totalInput,
  totalOutput,
  type Usage,
} from "../../canon/usage.ts"
import { countOf, decodeCacheWrites, encodeCacheWrites, isCount } from "../shared/usage.ts"

/**
 * Decodes the usage of a response in classes that never overlap (docs/contribute/wire/openai-responses.md#f5). Cache
 * reads and writes are part of the input, and reasoning is part of the output. Searches are counted separately.
 * @returns undefined if nothing was reported.
 */
export function decodeUsage(response: JsonObject): Usage | undefined {
  const usage = objectAt(response, "usage")
  if (usage === undefined) return undefined
  const input = quantityOf(usage.input_tokens)
  const output = quantityOf(usage.output_tokens)
  if (input === undefined && output === undefined) return undefined
  const details = objectAt(usage, "input_tokens_details")
  const inputCacheRead = Math.min(countOf(details?.cached_tokens), input ?? 0)
  const uncached = (input ?? 0) - inputCacheRead
  const writes = decodeCacheWrites(details, uncached)
  const rest = uncached - cacheWrites(writes)
  // Cached tokens may include images, because a cached prompt prefix may contain images.
  const imageInput = Math.min(Math.max(0, countOf(details?.image_tokens) - inputCacheRead), rest)
  const written = objectAt(usage, "output_tokens_details")
  const imageOutput = Math.min(countOf(written?.image_tokens), output ?? 0)
  const text = (output ?? 0) - imageOutput
  return {
    ...NO_USAGE,
    inputFresh: rest - imageInput,
    inputCacheRead,
    inputCacheWrite: writes.inputCacheWrite,
    inputCacheWrite1h: writes.inputCacheWrite1h,
    inputCacheWrite12h: writes.inputCacheWrite12h,
    shortCacheWrite: writes.shortCacheWrite,
    imageInput,
    output: text,
    reasoning: Math.min(countOf(written?.reasoning_tokens), text),
    imageOutput,
    searches: searches(response),
  }
}

/** Encodes usage as OpenAI reports it, with every member present. */
export function encodeUsage(usage: Usage): JsonObject {
  const input = totalInput(usage)
  const output = totalOutput(usage)
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.inputCacheRead + usage.audioCacheRead,
      ...encodeCacheWrites(usage),
      ...(usage.imageInput > 0 ? { image_tokens: usage.imageInput + usage.inputCacheRead } : {}),
    },
    output_tokens: output,
    output_tokens_details: {
      reasoning_tokens: usage.reasoning,
      ...(usage.imageOutput > 0 ? { image_tokens: usage.imageOutput } : {}),
    },
    total_tokens: input + output,
  }
}

/**
 * Adds the cost to the usage.
 * @param carrier a whole response, or the last event of a stream, which contains the response.
 */
export function setCost(carrier: JsonObject, cost: string): void {
  const response = objectAt(carrier, "response") ?? carrier
  setCostIn(response, "usage", cost)
}

/**
 * Adds the gateway's own count if the vendor did not report one.
 * @param carrier as for `setCost`.
 */
export function setUsage(carrier: JsonObject, usage: Usage): void {
  const response = objectAt(carrier, "response") ?? carrier
  response.usage = encodeUsage(usage)
}

function searches(response: JsonObject): number {
  const tools = objectAt(response, "tool_usage")
  return tools === undefined ? 0 : countOf(objectAt(tools, "web_search")?.num_requests)
}

/** Returns usage whose counts add up to the charged amounts; the same object if they already do, or if it is empty. */
export function withTotal(usage: JsonObject): JsonObject {
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage
  if (isCount(input) && isCount(output) && total === input + output) return usage
  const read = quantityOf(input)
  const written = quantityOf(output)
  if (read === undefined && written === undefined) return usage
  const [input_tokens, output_tokens] = [read ?? 0, written ?? 0]
  return { ...usage, input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
}
