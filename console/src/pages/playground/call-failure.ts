import { ApiError, memberOf } from "../../api/api-error.ts"
import { t } from "../../languages/text.ts"

/** The error of a request to the gateway, and whether to retry. */
export interface CallFailure {
  readonly status: number
  /** A kind of the gateway's error table, or one of the kinds that the browser detects: `offline`, `broken_off`. */
  readonly kind: string
  readonly message: string
  readonly parameter: string | null
  readonly requestId: string | null
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | null
}

/** Thrown when a call of the playground fails. */
export class CallError extends Error {
  override readonly name = "CallError"
  readonly failure: CallFailure

  constructor(failure: CallFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Reads the failure from an error body in any of the gateway's formats. */
export function failureOfBody(status: number, body: unknown): CallFailure {
  const error = memberOf(body, "error")
  return {
    status,
    kind: textOf(error, "error_type") ?? textOf(error, "code") ?? "unknown",
    message:
      textOf(error, "message") ?? t("The gateway answered with status {status}.", { status }),
    parameter: textOf(error, "param"),
    requestId: textOf(error, "request_id"),
    retryAfter: null,
  }
}

/** Converts any thrown value to a failure. */
export function failureOf(thrown: unknown): CallFailure {
  if (thrown instanceof CallError) return thrown.failure
  if (thrown instanceof ApiError) {
    const { status, kind, message, parameter, requestId } = thrown
    return { status, kind, message, parameter, requestId, retryAfter: null }
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  // `fetch` throws a TypeError if there is no connection. Its message differs by browser.
  if (thrown instanceof TypeError) {
    return ownFailure("offline", t("The gateway cannot be reached. Is it running?"))
  }
  return ownFailure("unknown", message)
}

/** Creates a failure that was detected by the browser rather than the gateway. */
export function ownFailure(kind: string, message: string): CallFailure {
  return { status: 0, kind, message, parameter: null, requestId: null, retryAfter: null }
}

/** A page of the console on which the reader can resolve a failure. */
export interface Advice {
  readonly text?: string
  readonly link?: { readonly to: "/credits" | "/models" | "/keys"; readonly label: string }
}

/** Returns the advice for a failure, which is shown in addition to the message. */
export function adviceFor(failure: CallFailure): Advice | undefined {
  switch (failure.kind) {
    case "insufficient_credits":
      return {
        link: { to: "/credits", label: t("Add credits") },
      }
    case "key_budget_exceeded":
      return {
        text: t("Raise the budget of the key."),
        link: { to: "/keys", label: t("Open the keys") },
      }
    case "model_not_priced":
      return {
        text: t("An operator must set its price first."),
        link: { to: "/models", label: t("Open the models") },
      }
    case "credits_reserved":
      return { text: t("The credits are on hold for other requests. Wait until those finish.") }
    case "request_rate_exceeded":
    case "token_rate_exceeded":
    case "concurrent_requests_exceeded":
      return { text: waitText(failure.retryAfter) }
    case "model_not_found":
    case "model_not_supported":
    case "model_not_allowed":
      return {
        text: t("Choose another model."),
        link: { to: "/models", label: t("Open the models") },
      }
    case "not_signed_in":
      return { text: t("Sign in again.") }
    case "forbidden":
      return { text: t("Ask an owner of the account to make you a member.") }
    default:
      return undefined
  }
}

function waitText(seconds: number | null): string {
  return seconds === null
    ? t("Wait a moment and try again.")
    : t("Try again in {seconds} s.", { seconds })
}

function textOf(value: unknown, name: string): string | null {
  const member = memberOf(value, name)
  return typeof member === "string" ? member : null
}
