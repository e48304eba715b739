import type { PlannedChoice } from "../response.ts"
import { base62 } from "../identifiers.ts"
import { logprobsOf, type LogprobsOptions } from "../openai-chat/logprobs.ts"
import { arrayOf, isObject, objectOf, type Json, type JsonObject } from "../json.ts"
import type { Prompt } from "../prompt.ts"
import { thinkingText } from "../thinking-text.ts"
import type { CountedUsage } from "../usage.ts"
import type { Call } from "./paths.ts"
import { SIGNER } from "./signer.ts"

/** The content of a response, in Google's terms. */
export interface GeminiResponse {
  readonly model: string
  readonly isVertex: boolean
  readonly responseId: string
  readonly candidates: readonly Candidate[]
  readonly logprobs: LogprobsOptions
  /** The usage; undefined if usage is not reported. */
  readonly usage: UsageOfResponse | undefined
}

/** One choice of a response. */
export interface Candidate {
  /** The thoughts; empty unless the caller asks for them. */
  readonly thoughts: string
  /** Null when the choice calls functions instead of returning text. */
  readonly text: string | null
  /** The signature of the text; empty if the model did not think. */
  readonly signature: string
  /** Parts with one call each. Only the first call is signed (docs/contribute/wire/gemini.md#f5). */
  readonly calls: readonly JsonObject[]
  readonly finishReason: "STOP" | "MAX_TOKENS"
}

export interface UsageOfResponse {
  readonly counted: CountedUsage
  /** The tokens of the prompt by modality. */
  readonly modalities: Readonly<Record<"TEXT" | "IMAGE" | "AUDIO", number>>
}

/** Converts planned choices to Google's form. */
export function composeResponse(
  call: Call,
  prompt: Prompt,
  choices: readonly PlannedChoice[],
  options: {
    readonly counted: CountedUsage | undefined
    readonly wantsThoughts: boolean
    readonly logprobs: LogprobsOptions
  },
): GeminiResponse {
  const { counted, wantsThoughts, logprobs } = options
  return {
    model: call.model,
    isVertex: call.isVertex,
    responseId: base62(23),
    candidates: choices.map((choice) => composeCandidate(prompt, choice, wantsThoughts)),
    logprobs,
    usage:
      counted === undefined ? undefined : { counted, modalities: modalitiesOf(prompt, counted) },
  }
}

function composeCandidate(
  prompt: Prompt,
  choice: PlannedChoice,
  wantsThoughts: boolean,
): Candidate {
  const { text, reasoningTokens } = choice
  return {
    thoughts: wantsThoughts ? thinkingText(prompt.echo, reasoningTokens) : "",
    text,
    signature: text === null || reasoningTokens === 0 ? "" : SIGNER.wrap(text),
    calls: callParts(choice),
    finishReason: choice.ending === "length" ? "MAX_TOKENS" : "STOP",
  }
}

/**
 * Returns calls as parts. A call that was cut off at the token limit is omitted, because its arguments are not an
 * object.
 */
function callParts(choice: PlannedChoice): JsonObject[] {
  const calls = choice.calls.flatMap(({ name, argumentsText }) => {
    const args = parsed(argumentsText)
    return isObject(args) ? [{ name, args }] : []
  })
  return calls.map((functionCall, index) =>
    index === 0
      ? { functionCall, thoughtSignature: SIGNER.sign(signedText(functionCall)) }
      : { functionCall },
  )
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Returns the text that is signed for a call. The arguments are excluded, because agents add defaults to them. */
export function signedText({ name }: JsonObject): string {
  return JSON.stringify(name)
}

function modalitiesOf(prompt: Prompt, { prompt: total, audio }: CountedUsage) {
  const images = prompt.messages.reduce((sum, { mediaTokens }) => sum + mediaTokens, 0)
  const image = Math.min(images, total)
  return { TEXT: total - image - audio, IMAGE: image, AUDIO: audio }
}

/** Returns the parts of a complete candidate. The signature is in the part with the text. */
export function wholeParts({ thoughts, text, signature, calls }: Candidate): JsonObject[] {
  const parts: JsonObject[] = []
  if (thoughts !== "") parts.push({ text: thoughts, thought: true })
  if (text !== null && text !== "") {
    parts.push(signature === "" ? { text } : { text, thoughtSignature: signature })
  }
  return [...parts, ...calls]
}

/**
 * Returns the `usageMetadata` of a response that has the given number of tokens so far, or of the complete response.
 */
export function usageMetadata(
  { counted, modalities }: UsageOfResponse,
  isVertex: boolean,
  written = counted.completion - counted.reasoning,
): JsonObject {
  const details = Object.entries(modalities).filter(([, tokens]) => tokens > 0)
  const { prompt, cached, reasoning } = counted
  return {
    promptTokenCount: prompt,
    ...(written > 0 ? { candidatesTokenCount: written } : {}),
    totalTokenCount: prompt + written + reasoning,
    ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
    promptTokensDetails: details.map(([modality, tokenCount]) => ({ modality, tokenCount })),
    ...(cached > 0 ? { cacheTokensDetails: [{ modality: "TEXT", tokenCount: cached }] } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    ...(isVertex ? { trafficType: "ON_DEMAND" } : { serviceTier: "standard" }),
  }
}

/** Returns the members that follow the candidates and the usage. */
export function closingMembers({ model, responseId, isVertex }: GeminiResponse): JsonObject {
  const created = isVertex ? { createTime: new Date().toISOString() } : {}
  return { modelVersion: model, ...created, responseId }
}

/** Returns the members of a finished candidate, except its content. */
export function endingMembers(candidate: Candidate, index: number, isVertex: boolean): JsonObject {
  const says = candidate.calls.length > 0 && !isVertex
  return {
    finishReason: candidate.finishReason,
    index,
    ...(says ? { finishMessage: "Model generated function call(s)." } : {}),
  }
}

/** Returns the log probabilities of a text as a member of its candidate; empty if they were not requested. */
export function logprobsResult(text: string | null, options: LogprobsOptions): JsonObject {
  if (!options.wanted || text === null) return {}
  const tokens = arrayOf(objectOf(logprobsOf(text, options)).content).map((each) => objectOf(each))
  const shown = ({ token = "", logprob = 0 }: JsonObject): JsonObject => ({
    token,
    tokenId: Number(Bun.hash.crc32(String(token))),
    logProbability: logprob,
  })
  const top = tokens.map((each) => ({
    candidates: arrayOf(each.top_logprobs).map((other) => shown(objectOf(other))),
  }))
  return {
    logprobsResult: {
      chosenCandidates: tokens.map(shown),
      ...(options.alternatives > 0 && { topCandidates: top }),
    },
  }
}

/** Returns the JSON text of a response that is not streamed (docs/contribute/wire/gemini.md#f3). */
export function resultText(response: GeminiResponse): string {
  const { candidates, usage, isVertex, logprobs } = response
  const written = candidates.map((candidate, index) => {
    const parts = wholeParts(candidate)
    // If the model spent the whole limit on thinking, the content has no parts (recorded).
    const content = parts.length === 0 ? { role: "model" } : { parts, role: "model" }
    const ending = endingMembers(candidate, index, isVertex)
    return { content, ...ending, ...logprobsResult(candidate.text, logprobs) }
  })
  const body = {
    candidates: written,
    ...(usage === undefined ? {} : { usageMetadata: usageMetadata(usage, isVertex) }),
    ...closingMembers(response),
  }
  return JSON.stringify(body, null, 2)
}

/**
 * Returns the JSON text of the response to a blocked prompt. It has no candidates (docs/contribute/wire/gemini.md#f8).
 */
export function blockedResponse(response: GeminiResponse): JsonObject {
  const tokens = response.usage?.counted.prompt ?? 0
  return {
    promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
    usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens },
    ...closingMembers(response),
  }
}
