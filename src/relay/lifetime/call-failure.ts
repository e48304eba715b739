import { asGatewayError, type BilledAnswer, GatewayError } from "../../canon/errors.ts"

/** Why the gateway itself ends an upstream call. */
export type EndReason =
  /** The caller has disconnected. */
  | "caller_left"
  /** Another call of the same request has failed, or has taken its place. */
  | "not_needed"
  /** The caller has all of the answer that was asked for. */
  | "answer_over"
  /** The gateway is shutting down, and has waited for the answer as long as it may. */
  | "shutting_down"

/** The gateway itself ended an upstream call. That is no failure, neither of the vendor nor of the request. */
export class CallEnded extends Error {
  override readonly name = "CallEnded"
  readonly reason: EndReason

  constructor(reason: EndReason) {
    super(`the call was ended: ${reason}`)
    this.reason = reason
  }
}

/** Why an upstream call did not complete: it failed, or the gateway ended it. */
export type CallFailure = GatewayError | CallEnded

/** Any thrown thing as the failure of a call. */
export function asCallFailure(thrown: unknown): CallFailure {
  return thrown instanceof CallEnded ? thrown : asGatewayError(thrown)
}

/** Any thrown thing as the error that its caller gets. */
export function callerError(thrown: unknown): GatewayError {
  if (!(thrown instanceof CallEnded)) return asGatewayError(thrown)
  if (thrown.reason === "shutting_down") {
    return new GatewayError(
      "overloaded",
      "This gateway is shutting down and could not finish the answer. Send the request again.",
      { retryAfter: 1 },
    )
  }
  // The caller has disconnected and does not receive this, but the server needs an answer.
  return new GatewayError("upstream_error", "The request was ended before its answer came.")
}

/** Whether a call ended because its caller has left. */
export function isCallerGone(failure: unknown): boolean {
  return failure instanceof CallEnded && failure.reason === "caller_left"
}

/** Returns the unusable answer that its provider bills, if that is the failure. */
export function billedAnswerOf(failure: unknown): BilledAnswer | undefined {
  return failure instanceof GatewayError ? failure.details.billedAnswer : undefined
}

/**
 * Whether no other attempt follows a failure: the caller has disconnected, there is no memory for an answer, whichever
 * deployment gives it, or the provider bills the unusable answer.
 */
export function isFinal(failure: CallFailure): boolean {
  if (failure instanceof CallEnded || failure.kind === "overloaded") return true
  return billedAnswerOf(failure) !== undefined
}

/**
 * Rejections that are not about the request itself: content encrypted with another organization's key cannot be read.
 */
const ONE_ORGANIZATION = "invalid_encrypted_content"

/** Whether a failure is final, because other vendors would reject the request as well. */
export function endsFailover(failure: CallFailure): boolean {
  if (failure instanceof CallEnded || isFinal(failure)) return true
  const { kind, details } = failure
  return kind === "refused_by_upstream" && details.upstream?.code !== ONE_ORGANIZATION
}
