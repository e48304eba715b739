import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { AnswerLimits, UpstreamDialect } from "../../canon/dialect.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { ProviderClient } from "../request/provider-client.ts"

/**
 * Vendors raise a limit on output to their own minimum, and count their own marks: OpenAI's responses take no less
 * than 16, Cohere returned 6 tokens for 3 (decision 17).
 */
export const MIN_OUTPUT = 16

/**
 * Limits of an answer that the relay enforces, because its vendor does not enforce them, or not alone (decision 28).
 */
export interface OwnLimits {
  /** Sequences to search for in the text; empty if the vendor takes all of them. */
  readonly stop: readonly string[]
  /** Tokens of text, by our own count; absent if the vendor takes the limit. */
  readonly maxTokens?: number
}

/** The limits sent to the vendor, and the limits left to the relay. */
export interface FittedLimits {
  readonly stop: readonly string[]
  readonly maxTokens: number | undefined
  readonly own: OwnLimits | undefined
}

/**
 * Fits the limits of a request to those that a vendor accepts.
 * @param maxTokens the highest limit that may be sent.
 * @param isStopReported whether the caller needs the sequence that ended the answer.
 * @returns undefined if the vendor accepts them unchanged, as nearly always.
 */
export function fitLimits(
  { stop }: Pick<ChatRequest, "stop">,
  maxTokens: number | undefined,
  taken: AnswerLimits,
  isStopReported = false,
): FittedLimits | undefined {
  const isLengthTaken = maxTokens === undefined || maxTokens >= taken.minOutput
  const max = isStopReported ? taken.reportedStops : Infinity
  const isStopTaken =
    stop === undefined || (taken.cutsStops && stop.length <= max && areTaken(stop, taken))
  if (isLengthTaken && isStopTaken) return undefined
  const wanted = stop?.filter(isMeant) ?? []
  // Sequences are not sent to a vendor that would end the answer without reporting the sequence.
  const isSent = wanted.length <= max
  const sendable = isSent ? wanted.filter((sequence) => isTaken(sequence, taken)) : []
  const sent = sendable.slice(0, taken.stops)
  // The first match counts, also among sequences that only one of both searches for.
  const looked = sent.length < wanted.length || !taken.cutsStops ? wanted : []
  const own = isLengthTaken ? { stop: looked } : { stop: looked, maxTokens }
  return {
    stop: sent,
    maxTokens: isLengthTaken ? maxTokens : taken.minOutput,
    own: isLengthTaken && looked.length === 0 ? undefined : own,
  }
}

/** Whether a dialect accepts the limits of a request unchanged. */
export function takesLimits(
  request: ChatRequest,
  maxTokens: number | undefined,
  input: { readonly taken: AnswerLimits; readonly isStopReported?: boolean | undefined },
): boolean {
  if (request.stop === undefined && maxTokens === undefined) return true
  return fitLimits(request, maxTokens, input.taken, input.isStopReported) === undefined
}

/** Returns the limits that a deployment enforces in a dialect. */
export function limitsOf(
  dialect: UpstreamDialect,
  { upstreamModel }: Pick<Deployment, "upstreamModel">,
  rules: ModelRules | undefined,
): AnswerLimits {
  const limits = dialect.answerLimits(upstreamModel)
  return rules?.rejected_parameters?.includes("stop") === true ? { ...limits, stops: 0 } : limits
}

/**
 * Returns a request with a limit that every deployment accepts: a hold covers the request at the most expensive one.
 */
export function heldRequest(
  request: ChatRequest,
  model: Model,
  clients: ReadonlyMap<string, ProviderClient>,
): ChatRequest {
  const { maxTokens } = request
  if (maxTokens === undefined || maxTokens >= MIN_OUTPUT) return request
  const min = minOutput(model, clients)
  return min <= maxTokens ? request : { ...request, maxTokens: min }
}

/**
 * Returns the shortest limit that every deployment of a model accepts, in tokens. No request is sent with less, so no
 * less is held.
 */
export function minOutput(
  { deployments }: Model,
  clients: ReadonlyMap<string, ProviderClient>,
): number {
  let min = 0
  for (const deployment of deployments) {
    for (const { dialect } of clients.get(deployment.provider)?.bindings(deployment) ?? []) {
      min = Math.max(min, dialect.answerLimits(deployment.upstreamModel).minOutput)
    }
  }
  return min
}

function areTaken(stop: readonly string[], taken: AnswerLimits): boolean {
  return stop.length <= taken.stops && stop.every((sequence) => isTaken(sequence, taken))
}

function isTaken(sequence: string, { blankStops }: AnswerLimits): boolean {
  return isMeant(sequence) && (blankStops || sequence.trim() !== "")
}

/** Whether a sequence can match: an empty one would match before every text, and half a character never does. */
function isMeant(sequence: string): boolean {
  return sequence !== "" && sequence.isWellFormed()
}
