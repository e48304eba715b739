import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
} from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { NO_USAGE, setCostIn, totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import { countOf, isCount } from "../shared/usage.ts"

/** Members that show that usage was reported. Any of them may be missing. */
const COUNTS = ["promptTokenCount", "totalTokenCount", "candidatesTokenCount", "thoughtsTokenCount"]

/**
 * Decodes usage in classes that never overlap (docs/contribute/wire/gemini.md#f10 and
 * docs/contribute/wire/README.md#f4). Cache reads are part of the prompt. Input from server tools and thoughts are
 * counted separately. In a stream, the counts of each frame include the counts of earlier frames.
 * @returns undefined if nothing was counted. Vertex starts a stream with other data in place of counts.
 */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  if (!COUNTS.some((name) => value[name] !== undefined)) return undefined
  const prompt = countOf(value.promptTokenCount) + countOf(value.toolUsePromptTokenCount)
  const inputCacheRead = Math.min(countOf(value.cachedContentTokenCount), prompt)
  const uncached = prompt - inputCacheRead
  const audioTokens =
    tokensOf(value, "promptTokensDetails", "AUDIO") +
    tokensOf(value, "toolUsePromptTokensDetails", "AUDIO")
  const cachedAudio = Math.min(tokensOf(value, "cacheTokensDetails", "AUDIO"), inputCacheRead)
  const audioInput = Math.min(Math.max(0, audioTokens - cachedAudio), uncached)
  const made = "candidatesTokensDetails"
  const candidates = quantityOf(value.candidatesTokenCount) ?? tokensOf(value, made)
  const audioOutput = Math.min(tokensOf(value, made, "AUDIO"), candidates)
  const imageOutput = Math.min(tokensOf(value, made, "IMAGE"), candidates - audioOutput)
  const reasoning = countOf(value.thoughtsTokenCount)
  return {
    ...NO_USAGE,
    inputFresh: uncached - audioInput,
    inputCacheRead: inputCacheRead - cachedAudio,
    audioInput,
    audioCacheRead: cachedAudio,
    output: candidates - audioOutput - imageOutput + reasoning,
    reasoning,
    audioOutput,
    imageOutput,
  }
}

/** Encodes usage as Google counts it. Google has no member for cache writes. */
export function encodeUsage(usage: Usage): JsonObject {
  const { reasoning, reasoningBeside, audioInput, audioCacheRead, audioOutput, imageOutput } = usage
  const thoughts = reasoning + reasoningBeside
  const cached = usage.inputCacheRead + audioCacheRead
  const encoded: JsonObject = {
    promptTokenCount: totalInput(usage),
    candidatesTokenCount: totalOutput(usage) - thoughts,
    totalTokenCount: totalInput(usage) + totalOutput(usage),
  }
  if (thoughts > 0) encoded.thoughtsTokenCount = thoughts
  if (cached > 0) encoded.cachedContentTokenCount = cached
  if (audioInput + audioCacheRead > 0) {
    encoded.promptTokensDetails = modalities(totalInput(usage), {
      AUDIO: audioInput + audioCacheRead,
    })
  }
  if (audioCacheRead > 0) {
    encoded.cacheTokensDetails = modalities(cached, { AUDIO: audioCacheRead })
  }
  if (audioOutput + imageOutput > 0) {
    encoded.candidatesTokensDetails = modalities(totalOutput(usage) - thoughts, {
      AUDIO: audioOutput,
      IMAGE: imageOutput,
    })
  }
  return encoded
}

/** Returns a breakdown of tokens by medium, including text. */
function modalities(all: number, media: Readonly<Record<string, number>>): JsonObject[] {
  const counted = Object.entries(media).filter(([, tokenCount]) => tokenCount > 0)
  const text = counted.reduce((rest, [, tokenCount]) => rest - tokenCount, all)
  return [
    { modality: "TEXT", tokenCount: text },
    ...counted.map(([modality, tokenCount]) => ({ modality, tokenCount })),
  ]
}

/** Returns the tokens of a modality in a breakdown; without a modality, the sum of all. */
function tokensOf(usage: JsonObject, details: string, modality?: "AUDIO" | "IMAGE"): number {
  let tokens = 0
  for (const detail of listAt(usage, details)) {
    if (!isJsonObject(detail)) continue
    const isAsked = modality === undefined || detail.modality === modality
    if (isAsked) tokens += countOf(detail.tokenCount)
  }
  return tokens
}

/** Adds the cost to the counts. */
export function setCost(carrier: JsonObject, cost: string): void {
  setCostIn(carrier, "usageMetadata", cost)
}

/** Adds the gateway's own count if the vendor did not report one. */
export function setUsage(carrier: JsonObject, usage: Usage): void {
  carrier.usageMetadata = encodeUsage(usage)
}

/** The counts whose sum is `totalTokenCount`. */
const SUMMED = [
  "promptTokenCount",
  "toolUsePromptTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
] as const

/** Returns usage whose counts add up to the charged amounts; the same object if they already do. */
export function withTotal(usage: JsonObject): JsonObject {
  if (isSum(usage)) return usage
  const counted: JsonObject = { ...usage }
  let sum = 0
  for (const name of SUMMED) {
    if (!isDefined(usage[name])) continue
    const tokens = countOf(usage[name])
    counted[name] = tokens
    sum += tokens
  }
  counted.totalTokenCount = sum
  return counted
}

function isSum(usage: JsonObject): boolean {
  let sum = 0
  for (const name of SUMMED) {
    const count = usage[name]
    if (count === undefined) continue
    if (!isCount(count)) return false
    sum += count
  }
  return usage.totalTokenCount === sum
}
