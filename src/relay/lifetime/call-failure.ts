import { asGatewayError, type BilledResponse, GatewayError } from "../../canon/errors.ts"
import { LedgerError } from "../../store/ledger-error.ts"

/** The reason why the gateway ends an upstream call. */
export type EndReason =
  /** The caller has disconnected. */
  | "caller_disconnected"
  /** Another call of the same request has failed, or has replaced this call. */
  | "not_needed"
  /** The caller has received all of the requested response. */
  | "answer_over"
  /** The gateway is shutting down, and the time limit for running requests has expired. */
  | "shutting_down"

/** Thrown when the gateway itself ends an upstream call. This is a failure neither of the vendor nor of the request. */
export class CallEnded extends Error {
  override readonly name = "CallEnded"
  readonly reason: EndReason

  constructor(reason: EndReason) {
    super(`the call was ended: ${reason}`)
    this.reason = reason
  }
}

/** The reason why an upstream call did not complete: it failed, or the gateway ended it. */
export type CallFailure = GatewayError | CallEnded

/** Converts any thrown value to the failure of a call. */
export function asCallFailure(thrown: unknown): CallFailure {
  return thrown instanceof CallEnded ? thrown : errorOf(thrown)
}

/** Returns the error for requests while the ledger is unavailable. A request that cannot be charged is not served. */
export function ledgerUnavailable(cause?: unknown): GatewayError {
  return new GatewayError(
    "ledger_unavailable",
    "The gateway cannot use its ledger right now, so it rejects requests. Try again shortly.",
    { cause },
  )
}

/** Converts a thrown value, such as the store's error during an outage of the database. */
function errorOf(thrown: unknown): GatewayError {
  return thrown instanceof LedgerError ? ledgerUnavailable(thrown) : asGatewayError(thrown)
}

/** Converts any thrown value to the error that the caller receives. */
export function callerError(thrown: unknown): GatewayError {
  if (!(thrown instanceof CallEnded)) return errorOf(thrown)
  if (thrown.reason === "shutting_down") {
    return new GatewayError(
      "overloaded",
      "This gateway is shutting down and could not finish the response. Send the request again.",
      { retryAfter: 1 },
    )
  }
  // The caller has disconnected and does not receive this error, but the server needs a response.
  return new GatewayError("upstream_error", "The request was ended before its response arrived.")
}

/** Whether a call ended because the caller has disconnected. */
export function isCallerGone(failure: unknown): boolean {
  return failure instanceof CallEnded && failure.reason === "caller_disconnected"
}

/** Whether a call was ended because its response is complete. */
export function isResponseOver(failure: CallFailure): boolean {
  return failure instanceof CallEnded && failure.reason === "answer_over"
}

/** Returns the unusable but billed response that caused a failure; undefined for other failures. */
export function billedResponseOf(failure: unknown): BilledResponse | undefined {
  return failure instanceof GatewayError ? failure.details.billedResponse : undefined
}

/**
 * Whether no other attempt follows a failure: the caller has disconnected, there is no memory for a response of any
 * deployment, or the provider bills the unusable response.
 */
export function isFinal(failure: CallFailure): boolean {
  if (failure instanceof CallEnded || failure.kind === "overloaded") return true
  return billedResponseOf(failure) !== undefined
}

/**
 * The code of a rejection that does not concern the request itself: content that was encrypted with another
 * organization's key cannot be read.
 */
const ONE_ORGANIZATION = "invalid_encrypted_content"

/** Whether no other deployment is tried after a failure, because other vendors would reject the request as well. */
export function endsFailover(failure: CallFailure): boolean {
  if (failure instanceof CallEnded || isFinal(failure)) return true
  const { kind, details } = failure
  return kind === "rejected_by_upstream" && details.upstream?.code !== ONE_ORGANIZATION
}
