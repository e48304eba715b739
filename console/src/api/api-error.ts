import { t } from "../languages/text.ts"

/** One invalid field of a body. `param` is the dotted path of the field. */
export interface FieldFault {
  readonly param: string
  readonly message: string
}

export interface ApiErrorFacts {
  readonly status: number
  readonly kind: string
  readonly message: string
  readonly parameter: string | null
  readonly errors: readonly FieldFault[]
  readonly requestId: string | null
}

/** An error response of the API, or a failed request (status 0). */
export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly status: number
  /** The `error_type`: a code of the gateway's error table, or `unreachable` if there was no response. */
  readonly kind: string
  readonly parameter: string | null
  readonly errors: readonly FieldFault[]
  readonly requestId: string | null

  constructor(facts: ApiErrorFacts) {
    super(facts.message)
    this.status = facts.status
    this.kind = facts.kind
    this.parameter = facts.parameter
    this.errors = facts.errors
    this.requestId = facts.requestId
  }

  /** The message of each invalid field, by the field's path, as forms expect them. */
  get fields(): Record<string, string> {
    const fields: Record<string, string> = {}
    for (const fault of this.errors) fields[fault.param] ??= fault.message
    if (this.parameter !== null) fields[this.parameter] ??= this.message
    return fields
  }
}

/** Creates the error for an unreachable gateway. */
export function unreachable(): ApiError {
  return withoutResponse(
    t("The gateway is not responding. Check that it is running and that you are online."),
  )
}

/** Creates the error for a response that was cut off. */
export function responseLost(): ApiError {
  return withoutResponse(t("The gateway's response was lost."))
}

/** Creates the error for a rejected retry after a lost response. The first request may have been executed. */
export function afterLostResponse(rejection: unknown): ApiError {
  const isReused = rejection instanceof ApiError && rejection.kind === "idempotency_key_reused"
  return withoutResponse(
    isReused
      ? t(
          "This differs from your previous attempt, which may have succeeded. Send it unchanged, or close this and check.",
        )
      : messageOf(rejection),
  )
}

/** Whether the outcome of a request is unknown, because its response was lost or did not come from the gateway. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}

function withoutResponse(message: string): ApiError {
  return new ApiError({
    status: 0,
    kind: "unreachable",
    message,
    parameter: null,
    errors: [],
    requestId: null,
  })
}

/** Converts an error response to an error. The body may have any form. */
export function readError(status: number, body: unknown): ApiError {
  const envelope = memberOf(body, "error") ?? body
  const message = memberOf(envelope, "message")
  return new ApiError({
    status,
    kind: text(memberOf(envelope, "error_type")) ?? text(memberOf(envelope, "code")) ?? "unknown",
    message: text(message) ?? t("The gateway answered with status {status}.", { status }),
    parameter: text(memberOf(envelope, "param")),
    errors: faults(memberOf(envelope, "errors")),
    requestId: text(memberOf(envelope, "request_id")),
  })
}

/** Converts any thrown value to a message for the reader. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  return t("Something went wrong. Try again.")
}

function faults(value: unknown): FieldFault[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown) => {
    const param = text(memberOf(item, "param"))
    const message = text(memberOf(item, "message"))
    return param === null || message === null ? [] : [{ param, message }]
  })
}

/** Reads a field of an untyped response. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined
  return (value as Record<string, unknown>)[name]
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null
}
