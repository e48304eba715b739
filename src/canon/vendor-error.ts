import { GatewayError } from "./errors.ts"
import type { JsonObject } from "./json.ts"
import { KIND_OF_STATUS, type ProviderErrorKind, STATUS_OF_CODE } from "./provider-error-kinds.ts"
import { PROVIDER_ERRORS } from "./provider-errors.ts"
import { rejectionIn } from "./rejected-parameters.ts"
import { textsOf, unwrapError } from "./wrapped-error.ts"

/** Maximum length of a provider's message that is forwarded. */
const MAX_MESSAGE_CHARACTERS = 2000
/** Maximum JSON characters of details that are forwarded. */
const MAX_DETAILS_CHARACTERS = 4000
/** Status of errors in the request whose own status has another meaning. */
const DEFAULT_STATUS = 400
/**
 * Matches wording that only describes the operator's account, anywhere in an error with a request's
 * status. The error matches no rule, so the deployment is not paused immediately.
 */
const ACCOUNT_WORDS: RegExp =
  /\b(?:your|this|our|the current) (?:[\w-]+ ){0,2}(?:accounts?|api keys?|balance|budget|credentials?|credits?|org|organi[sz]ations?|plans?|projects?|quota|resource|subscriptions?|team|tenant|tier|usage|wallet|workspace)\b(?! of\b)|\byou(?: have|'ve| are|'re) (?:[\w-]+ ){0,3}(?:credits?|quota|usage)\b|\bbill(?:ed|ing)\b|\b(?:credit card|prepaid|pre-paid|overdue|arrears)\b|\barn:aws\b|余额|欠费|额度|计费|配额|套餐|令牌分组/i
/** The same for the limits, the state and the rules of an account or a key, named without an owner. */
const ACCOUNT_STATES: RegExp =
  /\b(?:inactive|expired|no active) (?:subscription|plan)\b|\bsubscription\b[^.]{0,80}\b(?:expired|inactive|ended|lapsed|suspended|cancell?ed)\b|\b(?:account|org|organi[sz]ation|project|team|workspace) (?:has been|is|was) (?:restricted|disabled|suspended|deactivated|blocked|locked)\b|\b(?:member of an|HIPAA) organi[sz]ation\b|\borg(?:ani[sz]ation)? admins?\b|\b(?:usage|spend(?:ing)?) (?:limits?|caps?)\b|\b(?:daily|weekly|monthly) (?:budget|quota|spend(?:ing)?)\b|\bquota (?:exceeded|metric)\b|\b(?:free|paid)[ -]tier\b|\btrial key\b|\bAPI calls ?(?:\/|per) ?(?:day|month|minute)\b|\byour IP\b|\bIP (?:address )?\S{1,60} is not\b/i
/** Quoted parts of a request in a provider's error. */
const QUOTED = /"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g
/** Maximum length of an error about the account. Longer errors may contain the caller's text. */
const MAX_ACCOUNT_CHARACTERS = 300

/** Statuses of errors that may reject a parameter. */
const MAY_REJECT: ReadonlySet<number> = new Set([400, 404, 422])

/** A vendor's error, decoded from its dialect's form. */
export interface VendorError {
  readonly message?: string
  readonly type?: string
  readonly code?: string
  readonly parameter?: string
  /** The HTTP status in its body. */
  readonly status?: number
  /** Machine-readable details. */
  readonly details?: JsonObject
  /** The model's text that could not become an answer, so that the caller can repair it. */
  readonly failedGeneration?: string
  /** In seconds, if the body names it. */
  readonly retryAfter?: number
  /** Further texts of the body (`textsOf`). */
  readonly texts?: readonly string[]
}

/**
 * Returns the kind of an error, by the table of known errors, then by status.
 * @param status absent for an error with a success status that names no other.
 * @param error the provider's own.
 */
function providerErrorKind(status: number | undefined, error: VendorError): ProviderErrorKind {
  const codes = [error.code?.toLowerCase(), error.type?.toLowerCase()]
  const { message } = error
  for (const { kind, statuses, codes: known, message: pattern } of PROVIDER_ERRORS) {
    if (statuses && status !== undefined && !statuses.includes(status)) continue
    if (known !== undefined && !codes.some((code) => code && known.includes(code))) continue
    if (pattern !== undefined && (message === undefined || !pattern.test(message))) continue
    // The error is about another model named in the request, such as that of a tool.
    const { parameter = "model" } = error
    if ((kind !== "model" && kind !== "permission") || parameter === "model") return kind
  }
  const kind = (status !== undefined && KIND_OF_STATUS.get(status)) || "failure"
  // An error about a parameter is an error in the request.
  if (kind !== "request" || error.parameter !== undefined) return kind
  // Routers put the error of the called provider into various members.
  const { texts = textsOf(message) } = error
  const isOfAccount = describesAccount(message ?? "") || texts.some(isAccountText)
  return isOfAccount ? "forbidden" : kind
}

/** Kinds of errors that callers do not see. */
const ACCOUNT_KINDS: ReadonlySet<ProviderErrorKind> = new Set([
  "account",
  "credential",
  "permission",
  "forbidden",
])

/** Reports whether a text from an unknown member describes the operator's account, or is a code of such an error. */
function isAccountText(text: string): boolean {
  const { message } = unwrapError(text)
  if (describesAccount(message)) return true
  // A number can be the code of any provider.
  const name = /^[a-z][\w.:-]*$/i.test(text) ? text.toLowerCase() : undefined
  return PROVIDER_ERRORS.some(
    ({ kind, codes = [], message: pattern }) =>
      ACCOUNT_KINDS.has(kind) &&
      (pattern?.test(message) === true || (name !== undefined && codes.includes(name))),
  )
}

/** Reports whether the message of an unmatched error describes the operator's account. */
function describesAccount(message: string): boolean {
  const unquoted = message.replace(QUOTED, "")
  if (unquoted.length > MAX_ACCOUNT_CHARACTERS) return false
  return ACCOUNT_WORDS.test(unquoted) || ACCOUNT_STATES.test(unquoted)
}

/**
 * Returns a vendor's error as the caller sees it. With a success status, the vendor reports the
 * error in the body or in a stream, so the error itself must contain its status. Only errors in the
 * request are forwarded with their message and status. Errors about the operator's account get a
 * message of the gateway.
 */
export function vendorRefusal(httpStatus: number, error: VendorError): GatewayError {
  const status = httpStatus < 300 ? reportedStatus(error) : httpStatus
  const own = providersOwn(error)
  const providerError = providerErrorKind(status, own)
  const refusal = withGeneration(refusalFor(httpStatus, status, error, providerError), error)
  const rejected =
    status === undefined || MAY_REJECT.has(status) ? rejectionIn(own.message, own) : undefined
  if (rejected === undefined) return refusal
  return new GatewayError(refusal.kind, refusal.message, { ...refusal.details, rejected })
}

function withGeneration(refusal: GatewayError, { failedGeneration }: VendorError): GatewayError {
  if (failedGeneration === undefined) return refusal
  const { kind, message, details } = refusal
  const fields = { ...details.fields, failed_generation: failedGeneration }
  return new GatewayError(kind, message, { ...details, fields })
}

function refusalFor(
  httpStatus: number,
  status: number | undefined,
  error: VendorError,
  providerError: ProviderErrorKind,
): GatewayError {
  switch (providerError) {
    case "account":
    case "credential":
    case "permission":
    case "streaming":
    case "forbidden":
      return new GatewayError(
        "upstream_error",
        "The provider refused the credential that the operator of this gateway configured for it.",
        { providerError },
      )
    case "allowance":
      return new GatewayError(
        "upstream_error",
        "The provider does not serve the operator of this gateway a request of this size, or with one of its features. Send a smaller or simpler one.",
        { providerError },
      )
    case "model":
      return unknownModel(providerError)
    case "capacity": {
      const { retryAfter } = error
      return new GatewayError(
        "upstream_overloaded",
        "The provider is overloaded. Try again later.",
        retryAfter === undefined ? { providerError } : { providerError, retryAfter },
      )
    }
    case "timeout":
      return new GatewayError("upstream_timeout", "The provider did not answer in time.", {
        providerError,
      })
    case "generation":
    case "failure":
      if (status === 404) return unknownModel(providerError)
      return new GatewayError(
        "upstream_error",
        httpStatus < 300
          ? "The provider failed while it answered."
          : `The provider failed with status ${status}.`,
        { providerError },
      )
    case "context_length":
    case "content_filter":
    case "request":
      return requestRefused(status, error, providerError)
  }
}

/** Returns the provider's error without the wrapping of another gateway, and with plain apostrophes. */
function providersOwn(error: VendorError): VendorError {
  return error.message === undefined ? error : { ...error, ...unwrapError(error.message) }
}

function reportedStatus({ status, code, type }: VendorError): number | undefined {
  if (status !== undefined) return status
  for (const name of [code, type]) {
    if (name === undefined) continue
    const named = /^[45]\d\d$/.test(name) ? Number(name) : STATUS_OF_CODE.get(name.toLowerCase())
    if (named !== undefined) return named
  }
  return undefined
}

function unknownModel(providerError: ProviderErrorKind): GatewayError {
  return new GatewayError("upstream_error", "The provider has no such model or address.", {
    providerError,
  })
}

function requestRefused(
  status: number | undefined,
  error: VendorError,
  providerError: ProviderErrorKind,
): GatewayError {
  const { type, code, parameter, details } = error
  const isReported =
    details !== undefined && JSON.stringify(details).length <= MAX_DETAILS_CHARACTERS
  const message = error.message?.trim().slice(0, MAX_MESSAGE_CHARACTERS)
  return new GatewayError(
    "refused_by_upstream",
    message || `The provider refused the request with status ${status ?? DEFAULT_STATUS}.`,
    {
      providerError,
      upstream: {
        // A status with another meaning for callers is not forwarded.
        status: status !== undefined && isOfRequest(status) ? status : DEFAULT_STATUS,
        ...(type === undefined ? {} : { type }),
        ...(code === undefined ? {} : { code }),
      },
      ...(parameter === undefined ? {} : { parameter }),
      ...(isReported ? { fields: { details } } : {}),
    },
  )
}

function isOfRequest(status: number): boolean {
  return KIND_OF_STATUS.get(status) === "request"
}
