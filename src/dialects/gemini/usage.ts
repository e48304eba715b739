import { isDefined, type JsonObject } from "../../canon/json.ts"
import { setCostIn, totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import { countOf, isCount } from "../shared/usage.ts"

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
