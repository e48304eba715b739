import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { AnswerLimits, UpstreamDialect } from "../../canon/dialect.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { ProviderClient } from "../request/provider-client.ts"

/**
 * Vendors raise a limit on output to their own least, and count their own marks: OpenAI's responses take
 * no less than 16, Cohere was seen to give 6 tokens for 3 (decision 17).
 */
export const MIN_OUTPUT = 16

/** Limits of an answer that its vendor does not keep, or not alone, so that the relay does (decision 28). */
export interface OwnLimits {
  /** Sequences to be looked for in the text; empty where the vendor takes all. */
  readonly stop: readonly string[]
  /** Tokens of text, by our own count; absent where the vendor takes the limit. */
  readonly maxTokens?: number
}

/** What the vendor is asked instead, and what is left for the relay. */
export interface FittedLimits {
  readonly stop: readonly string[]
  readonly maxTokens: number | undefined
  readonly own: OwnLimits | undefined
}

/**
 * Fits the limits of a request to what a vendor takes.
 * @param maxTokens as many as may be asked for.
 * @param isStopReported whether the caller has to learn which sequence ended the answer.
 * @returns undefined where the vendor takes them as they are, as nearly always.
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
  // A vendor that would end the answer, and not tell at which, is not to see them.
  const isSent = wanted.length <= max
  const sendable = isSent ? wanted.filter((sequence) => isTaken(sequence, taken)) : []
  const sent = sendable.slice(0, taken.stops)
  // The first that matches is the one that counts, no matter who looks for the others.
  const looked = sent.length < wanted.length || !taken.cutsStops ? wanted : []
  const own = isLengthTaken ? { stop: looked } : { stop: looked, maxTokens }
  return {
    stop: sent,
    maxTokens: isLengthTaken ? maxTokens : taken.minOutput,
    own: isLengthTaken && looked.length === 0 ? undefined : own,
  }
}

/** Whether a dialect takes the limits of a request as they are. */
export function takesLimits(
  request: ChatRequest,
  maxTokens: number | undefined,
  input: { readonly taken: AnswerLimits; readonly isStopReported?: boolean | undefined },
): boolean {
  if (request.stop === undefined && maxTokens === undefined) return true
  return fitLimits(request, maxTokens, input.taken, input.isStopReported) === undefined
}

/** The limits that a deployment keeps in a dialect. */
export function limitsOf(
  dialect: UpstreamDialect,
  { upstreamModel }: Pick<Deployment, "upstreamModel">,
  rules: ModelRules | undefined,
): AnswerLimits {
  const limits = dialect.answerLimits(upstreamModel)
  return rules?.rejected_parameters?.includes("stop") === true ? { ...limits, stops: 0 } : limits
}

/** A request with a limit that every deployment takes: a hold covers what is asked of the dearest. */
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

/** The shortest limit that every deployment of a model takes: less is asked of none, so less is never held. Tokens. */
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

/** An empty sequence stands before every text, which no vendor means; half a character stands in none. */
function isMeant(sequence: string): boolean {
  return sequence !== "" && sequence.isWellFormed()
}
