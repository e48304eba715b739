import { GatewayError } from "../../canon/errors.ts"

/** Why the gateway itself ends an upstream call. None of these is a failure of the vendor. */
export type EndReason =
  /** No one waits for the answer any more. */
  | "caller_left"
  /** Another call of the same request has failed, or has taken its place. */
  | "not_needed"
  /** The caller has all of the answer that was asked for. */
  | "answer_over"
  /** The gateway ends, and has waited for the answer as long as it may. */
  | "shutting_down"

const MESSAGES: Readonly<Record<EndReason, string>> = {
  caller_left: "The caller has left.",
  not_needed: "Another call of this request failed.",
  answer_over: "The answer is over.",
  shutting_down:
    "This gateway is shutting down and could not finish the answer. Send the request again.",
}

/**
 * What a call fails with that the gateway has ended. Only a shutdown ever reaches a caller; the kind of the others is
 * for the type's sake, and the reason is what counts.
 */
export class CallEnded extends GatewayError {
  readonly reason: EndReason

  constructor(reason: EndReason) {
    if (reason === "shutting_down") super("overloaded", MESSAGES[reason], { retryAfter: 1 })
    else super("upstream_error", MESSAGES[reason])
    this.reason = reason
  }
}

/** Whether something ended because its caller has left. */
export function isCallerGone(failure: unknown): boolean {
  return failure instanceof CallEnded && failure.reason === "caller_left"
}

/**
 * Whether nothing else is to be tried after a failure: no one waits for it, or there is no memory for an answer,
 * whoever gives it.
 */
export function isFinal(failure: GatewayError): boolean {
  return failure instanceof CallEnded || failure.kind === "overloaded"
}
