import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { ResponseLimits, UpstreamDialect } from "../../canon/dialect.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { ProviderClient } from "../request/provider-client.ts"

/**
 * Minimum output limit in tokens that is sent to vendors. Vendors raise lower limits to their own minimum, and count
 * their own control tokens. OpenAI's responses API accepts at least 16, and Cohere returned 6 tokens for a limit of 3
 * (decision 17).
 */
export const MIN_OUTPUT = 16

/** Limits of a response that the relay enforces, because the vendor does not enforce them reliably (decision 28). */
export interface OwnLimits {
  /** Stop sequences that the relay searches for in the text; empty if the vendor handles all of them. */
  readonly stop: readonly string[]
  /** Maximum tokens of text, by the gateway's own count; absent if the vendor accepts the limit. */
  readonly maxTokens?: number
}

/** The limits that are sent to the vendor, and the limits that the relay enforces. */
export interface FittedLimits {
  readonly stop: readonly string[]
  readonly maxTokens: number | undefined
  readonly own: OwnLimits | undefined
}

/**
 * Divides the limits of a request between the vendor and the relay.
 * @param maxTokens the highest limit that may be sent.
 * @param isStopReported whether the caller must receive the sequence that ended the response.
 * @returns undefined if the vendor accepts all limits unchanged, which is the usual case.
 */
export function fitLimits(
  { stop }: Pick<ChatRequest, "stop">,
  maxTokens: number | undefined,
  taken: ResponseLimits,
  isStopReported = false,
): FittedLimits | undefined {
  const isLengthTaken = maxTokens === undefined || maxTokens >= taken.minOutput
  const max = isStopReported ? taken.reportedStops : Infinity
  const isStopTaken =
    stop === undefined || (taken.cutsStops && stop.length <= max && areTaken(stop, taken))
  if (isLengthTaken && isStopTaken) return undefined
  const wanted = stop?.filter(isMeant) ?? []
  // No sequence is sent to a vendor that would end the response without reporting the sequence.
  const isSent = wanted.length <= max
  const sendable = isSent ? wanted.filter((sequence) => isTaken(sequence, taken)) : []
  const sent = sendable.slice(0, taken.stops)
  // The relay then searches for all sequences, including those that the vendor searches for, because the first match
  // must end the response.
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
  input: { readonly taken: ResponseLimits; readonly isStopReported?: boolean | undefined },
): boolean {
  if (request.stop === undefined && maxTokens === undefined) return true
  return fitLimits(request, maxTokens, input.taken, input.isStopReported) === undefined
}

/** Returns the limits that a deployment enforces in a dialect. */
export function limitsOf(
  dialect: UpstreamDialect,
  { upstreamModel }: Pick<Deployment, "upstreamModel">,
  rules: ModelRules | undefined,
): ResponseLimits {
  const limits = dialect.responseLimits(upstreamModel)
  return rules?.rejected_parameters?.includes("stop") === true ? { ...limits, stops: 0 } : limits
}

/**
 * Returns a request with a limit that every deployment accepts, because a hold covers the request at the most expensive
 * deployment.
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
 * Returns the lowest output limit in tokens that every deployment of a model accepts. No request is sent with a lower
 * limit, so a hold covers at least this limit.
 */
export function minOutput(
  { deployments }: Model,
  clients: ReadonlyMap<string, ProviderClient>,
): number {
  let min = 0
  for (const deployment of deployments) {
    for (const { dialect } of clients.get(deployment.provider)?.bindings(deployment) ?? []) {
      min = Math.max(min, dialect.responseLimits(deployment.upstreamModel).minOutput)
    }
  }
  return min
}

function areTaken(stop: readonly string[], taken: ResponseLimits): boolean {
  return stop.length <= taken.stops && stop.every((sequence) => isTaken(sequence, taken))
}

function isTaken(sequence: string, { blankStops }: ResponseLimits): boolean {
  return isMeant(sequence) && (blankStops || sequence.trim() !== "")
}

/**
 * Whether a sequence can match. An empty sequence would match before every text, and a sequence with half a surrogate
 * pair never matches.
 */
function isMeant(sequence: string): boolean {
  return sequence !== "" && sequence.isWellFormed()
}
