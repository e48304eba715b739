import type { ModelRules } from "#contract/model-rules.ts"
import type { JsonObject, JsonValue } from "./json.ts"
import type { ProviderErrorKind } from "./provider-error-kinds.ts"
import type { Usage } from "./usage.ts"

/**
 * The properties of each kind of failure: its status, its names in the OpenAI and Anthropic envelopes, and whether a
 * retry can succeed. The table is documented in docs/use/errors.md#errors. Status 402 always means that credits are
 * missing, and status 429 that the caller must wait.
 */
interface ErrorKindFacts {
  readonly status: number
  /** `error.type` in the OpenAI envelope. */
  readonly type: string
  /** `error.code` in the OpenAI envelope. */
  readonly code: string
  /** `error.type` in the Anthropic envelope. */
  readonly anthropicType: string
  readonly retry: boolean
}

/** Returns the properties of a failure that recurs if the same request is retried. */
function final(status: number, type: string, code: string, anthropicType: string): ErrorKindFacts {
  return { status, type, code, anthropicType, retry: false }
}

/** Returns the properties of a failure after which a retry of the same request can succeed. */
function passing(
  status: number,
  type: string,
  code: string,
  anthropicType: string,
): ErrorKindFacts {
  return { status, type, code, anthropicType, retry: true }
}

const INVALID = "invalid_request_error"

export const ERROR_KINDS = {
  missing_api_key: final(401, INVALID, "missing_api_key", "authentication_error"),
  invalid_api_key: final(401, INVALID, "invalid_api_key", "authentication_error"),
  insufficient_credits: final(402, "insufficient_quota", "insufficient_credits", "billing_error"),
  key_budget_exceeded: final(402, "insufficient_quota", "key_budget_exceeded", "billing_error"),
  account_budget_exceeded: final(
    402,
    "insufficient_quota",
    "account_budget_exceeded",
    "billing_error",
  ),
  label_budget_exceeded: final(402, "insufficient_quota", "label_budget_exceeded", "billing_error"),
  model_not_priced: final(402, INVALID, "model_not_priced", "billing_error"),
  feature_not_priced: final(400, INVALID, "feature_not_priced", INVALID),
  idempotency_key_reused: final(422, INVALID, "idempotency_key_reused", INVALID),
  credits_reserved: passing(429, "rate_limit_exceeded", "credits_reserved", "rate_limit_error"),
  request_rate_exceeded: passing(429, "requests", "rate_limit_exceeded", "rate_limit_error"),
  concurrent_requests_exceeded: passing(429, "requests", "rate_limit_exceeded", "rate_limit_error"),
  token_rate_exceeded: passing(429, "tokens", "rate_limit_exceeded", "rate_limit_error"),
  model_not_allowed: final(403, INVALID, "model_not_allowed", "permission_error"),
  key_paused: final(403, INVALID, "key_paused", "permission_error"),
  key_read_only: final(403, INVALID, "key_read_only", "permission_error"),
  address_not_allowed: final(403, INVALID, "address_not_allowed", "permission_error"),
  account_paused: final(403, INVALID, "account_paused", "permission_error"),
  account_closed: final(403, INVALID, "account_closed", "permission_error"),
  model_not_found: final(404, INVALID, "model_not_found", "not_found_error"),
  model_not_supported: final(400, INVALID, "model_not_supported", INVALID),
  not_found: final(404, INVALID, "not_found", "not_found_error"),
  not_signed_in: final(401, INVALID, "not_signed_in", "authentication_error"),
  forbidden: final(403, INVALID, "forbidden", "permission_error"),
  conflict: final(409, INVALID, "conflict", INVALID),
  too_many_attempts: passing(429, "requests", "too_many_attempts", "rate_limit_error"),
  method_not_allowed: final(405, INVALID, "method_not_allowed", INVALID),
  upgrade_not_supported: final(426, INVALID, "upgrade_not_supported", INVALID),
  invalid_json: final(400, INVALID, "invalid_json", INVALID),
  unsupported_media_type: final(415, INVALID, "unsupported_media_type", INVALID),
  missing_required_parameter: final(400, INVALID, "missing_required_parameter", INVALID),
  invalid_type: final(400, INVALID, "invalid_type", INVALID),
  invalid_value: final(400, INVALID, "invalid_value", INVALID),
  below_min_value: final(400, INVALID, "below_min_value", INVALID),
  above_max_value: final(400, INVALID, "above_max_value", INVALID),
  string_above_max_length: final(400, INVALID, "string_above_max_length", INVALID),
  invalid_parameter_combination: final(400, INVALID, "invalid_parameter_combination", INVALID),
  not_carried: final(400, INVALID, "not_carried", INVALID),
  invalid_image: final(400, INVALID, "invalid_image", INVALID),
  invalid_audio: final(400, INVALID, "invalid_audio", INVALID),
  file_too_large: final(413, INVALID, "file_too_large", "request_too_large"),
  body_too_large: final(413, INVALID, "body_too_large", "request_too_large"),
  rejected_by_upstream: final(400, INVALID, "rejected_by_upstream", INVALID),
  upstream_error: passing(502, "server_error", "upstream_error", "api_error"),
  upstream_overloaded: passing(503, "server_error", "upstream_overloaded", "overloaded_error"),
  upstream_timeout: passing(504, "server_error", "upstream_timeout", "timeout_error"),
  overloaded: passing(503, "server_error", "overloaded", "overloaded_error"),
  ledger_unavailable: passing(503, "server_error", "ledger_unavailable", "overloaded_error"),
  internal_error: passing(500, "server_error", "internal_error", "api_error"),
} as const satisfies Record<string, ErrorKindFacts>

/** The kinds of failures, also sent as `error.error_type` in every dialect. */
export type ErrorKind = keyof typeof ERROR_KINDS

/** A response that cannot be passed on although its provider bills it. */
export interface BilledResponse {
  /** The reported usage; if absent, usage is read from the response or estimated. */
  readonly usage?: Usage
}

export interface GatewayErrorDetails {
  /** The invalid field of the request as a dotted path, such as `messages[0].content`. */
  readonly parameter?: string
  /** Seconds to wait before a retry, sent as `retry-after`. */
  readonly retryAfter?: number
  /** The key of a caller that was rejected during authentication, for the log of failures. It is not sent. */
  readonly sender?: { readonly id: string; readonly account: string }
  /** Further members of the error object, such as `balance` and `required`. */
  readonly fields?: Readonly<Record<string, JsonValue>>
  /** Further headers of the response, such as `x-ratelimit-*` or `allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The status, type and code of a vendor's error. */
  readonly upstream?: { readonly status: number; readonly type?: string; readonly code?: string }
  readonly providerError?: ProviderErrorKind
  /**
   * Set if the provider bills a complete response that the gateway cannot pass on. No other deployment is tried, since
   * its response would be the same, and the caller is charged.
   */
  readonly billedResponse?: BilledResponse
  /** Set if the memory budget rejected the response. */
  readonly lacksMemory?: true
  /** The model's rules, as derived from a provider error that rejects a parameter. */
  readonly rejected?: ModelRules
  readonly cause?: unknown
}

/**
 * The only error type of the gateway. `message` is written for the caller and contains no secret.
 */
export class GatewayError extends Error {
  override readonly name = "GatewayError"
  readonly kind: ErrorKind
  readonly details: GatewayErrorDetails

  constructor(kind: ErrorKind, message: string, details: GatewayErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.kind = kind
    this.details = details
  }

  /** The HTTP status of the response. A vendor's own status is passed on only for errors in the caller's request. */
  get status(): number {
    const upstream = this.kind === "rejected_by_upstream" ? this.details.upstream : undefined
    return upstream?.status ?? ERROR_KINDS[this.kind].status
  }

  /**
   * Whether the same request may succeed later, which is sent as `x-should-retry`. A retry of a billed response would
   * be charged as well.
   */
  get retry(): boolean {
    return ERROR_KINDS[this.kind].retry && this.details.billedResponse === undefined
  }
}

/** Returns an error with all its texts cleaned, or the same object if nothing changes. */
export function cleanedError(error: GatewayError, clean: (text: string) => string): GatewayError {
  let isSame = true
  const noticing = (text: string): string => {
    const left = clean(text)
    isSame &&= left === text
    return left
  }
  const message = noticing(error.message)
  const details = cleanedDetails(error.details, noticing)
  return isSame ? error : new GatewayError(error.kind, message, details)
}

function cleanedDetails(
  details: GatewayErrorDetails,
  clean: (text: string) => string,
): GatewayErrorDetails {
  const { parameter, upstream, fields } = details
  return {
    ...details,
    ...(parameter !== undefined && { parameter: clean(parameter) }),
    ...(upstream && {
      upstream: {
        ...upstream,
        ...(upstream.type !== undefined && { type: clean(upstream.type) }),
        ...(upstream.code !== undefined && { code: clean(upstream.code) }),
      },
    }),
    ...(fields && { fields: cleanedObject(fields, clean) }),
  }
}

function cleanedObject<Value extends JsonValue>(
  fields: Readonly<Record<string, Value>>,
  clean: (text: string) => string,
): Record<string, Value> {
  const entries = Object.entries(fields)
  return Object.fromEntries(entries.map(([name, value]) => [clean(name), cleaned(value, clean)]))
}

function cleaned<Value extends JsonValue>(value: Value, clean: (text: string) => string): Value {
  if (typeof value === "string") return clean(value) as Value
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((one) => cleaned(one, clean)) as JsonValue as Value
  return cleanedObject(value as Record<string, JsonValue>, clean) as Value
}

/**
 * Converts any thrown value to a gateway error. An unknown value becomes `internal_error` and keeps
 * its cause.
 */
export function asGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  return new GatewayError(
    "internal_error",
    "The gateway failed to handle this request. Nothing was charged. Try again.",
    { cause: thrown },
  )
}

const CHARGED = "The provider bills this response, so the request was charged."

/**
 * Converts a value that was thrown after the request or its delivered part was charged. The message of an internal
 * error, and of a response that the gateway cannot pass on, then states the charge.
 */
export function asChargedError(thrown: unknown): GatewayError {
  const error = asGatewayError(thrown)
  const { kind, message, details } = error
  if (details.billedResponse !== undefined) {
    return new GatewayError(kind, `${message} ${CHARGED}`, details)
  }
  if (kind !== "internal_error") return error
  return new GatewayError(
    "internal_error",
    "The gateway failed to complete this response after its delivered part was charged. Its receipt has the amount; a retry is charged as well.",
    { cause: error.cause },
  )
}

/**
 * Runs the remaining work of a charged request.
 * @throws GatewayError converted by `asChargedError`.
 */
export function afterCharge<T>(work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw asChargedError(thrown)
  }
}

/** The error code for which OpenAI's clients shorten the conversation. It replaces the provider's own code. */
const CONTEXT_LENGTH_CODE = "context_length_exceeded"

/** Builds the error envelope of OpenAI's API, which all endpoints use except those whose dialect has its own. */
export function errorEnvelope(error: GatewayError, requestId: string): JsonObject {
  const { type, code } = ERROR_KINDS[error.kind]
  const { parameter, upstream, fields, providerError } = error.details
  return {
    error: {
      message: error.message,
      type: upstream?.type ?? type,
      param: parameter ?? null,
      code: providerError === "context_length" ? CONTEXT_LENGTH_CODE : (upstream?.code ?? code),
      error_type: error.kind,
      request_id: requestId,
      ...fields,
    },
  }
}
