import { isJsonObject, type JsonObject, type JsonValue, listAt } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { NO_USAGE, type Usage } from "../../canon/usage.ts"
import { countOf } from "./usage.ts"

/** Members that show that usage was reported. Any of them may be missing. */
const COUNTS = ["promptTokenCount", "totalTokenCount", "candidatesTokenCount", "thoughtsTokenCount"]

/**
 * Decodes usage in classes that never overlap (docs/contribute/wire/gemini.md#f10 and
 * docs/contribute/wire/README.md#f4). Cache reads are part of the prompt. Input from server tools and thoughts are
 * counted separately. In a stream, the counts of each frame include the counts of earlier frames.
 * @returns undefined if nothing was counted. Vertex starts a stream with other data in place of counts.
 */
export function decodeGeminiUsage(value: JsonValue | undefined): Usage | undefined {
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
