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

/** Any of them is a count, also without the others. */
const COUNTS = ["promptTokenCount", "totalTokenCount", "candidatesTokenCount", "thoughtsTokenCount"]

/**
 * Usage in classes that never overlap (docs/wire/gemini.md#f10 and docs/wire/README.md#f4): cache reads are
 * part of the prompt, input from server tools and thoughts are counted separately. Counts are cumulative on
 * every frame of a stream.
 *
 * @returns undefined when nothing was counted: Vertex starts a stream with other data in its place.
 */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  if (!COUNTS.some((name) => value[name] !== undefined)) return undefined
  const prompt = countOf(value.promptTokenCount) + countOf(value.toolUsePromptTokenCount)
  const inputCacheRead = Math.min(countOf(value.cachedContentTokenCount), prompt)
  const uncached = prompt - inputCacheRead
  const audioTokens =
    audio(value, "promptTokensDetails") + audio(value, "toolUsePromptTokensDetails")
  const cachedAudio = Math.min(audio(value, "cacheTokensDetails"), inputCacheRead)
  const audioInput = Math.min(Math.max(0, audioTokens - cachedAudio), uncached)
  const candidates = countOf(value.candidatesTokenCount)
  const audioOutput = Math.min(audio(value, "candidatesTokensDetails"), candidates)
  const reasoning = countOf(value.thoughtsTokenCount)
  return {
    ...NO_USAGE,
    inputFresh: uncached - audioInput,
    inputCacheRead: inputCacheRead - cachedAudio,
    audioInput,
    audioCacheRead: cachedAudio,
    output: candidates - audioOutput + reasoning,
    reasoning,
    audioOutput,
  }
}

/** Usage as Google counts it; cache writes have no member. */
export function encodeUsage(usage: Usage): JsonObject {
  const { reasoning, reasoningBeside, audioInput, audioCacheRead, audioOutput } = usage
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
    encoded.promptTokensDetails = modalities(totalInput(usage), audioInput + audioCacheRead)
  }
  if (audioCacheRead > 0) encoded.cacheTokensDetails = modalities(cached, audioCacheRead)
  if (audioOutput > 0) {
    encoded.candidatesTokensDetails = modalities(totalOutput(usage) - thoughts, audioOutput)
  }
  return encoded
}

/** A breakdown into audio and everything else. */
function modalities(all: number, audioTokens: number): JsonObject[] {
  return [
    { modality: "TEXT", tokenCount: all - audioTokens },
    { modality: "AUDIO", tokenCount: audioTokens },
  ]
}

/** The audio tokens in a breakdown by modality. */
function audio(usage: JsonObject, details: string): number {
  let tokens = 0
  for (const detail of listAt(usage, details)) {
    if (isJsonObject(detail) && detail.modality === "AUDIO") tokens += countOf(detail.tokenCount)
  }
  return tokens
}

/** Adds the cost to the counts. */
export function setCost(carrier: JsonObject, cost: string): void {
  setCostIn(carrier, "usageMetadata", cost)
}

/** Adds our own count where the vendor reports none. */
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

/** Returns usage that adds up to the charged amounts; the same object if it already does. */
export function withTotal(usage: JsonObject): JsonObject {
  if (isSum(usage)) return usage
  const counted: JsonObject = { ...usage }
  let sum = 0
  for (const name of SUMMED) {
    if (!isDefined(usage[name])) continue
    const tokens = quantityOf(usage[name]) ?? 0
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
