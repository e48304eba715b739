import type { ChatEvent } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, parseJsonObject, textAt } from "../../canon/json.ts"
import { type VendorError, vendorRefusal } from "../../canon/vendor-error.ts"
import { errorEvent, isPage } from "../shared/errors.ts"
import { defined } from "../shared/fields.ts"

/** The status that a type means, where Bedrock's own is less specific: the same type comes with several. */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ["AccessDeniedException", 403],
  ["ExpiredTokenException", 403],
  ["ExpiredToken", 403],
  ["IncompleteSignatureException", 403],
  ["InvalidClientTokenId", 403],
  ["InvalidSignatureException", 403],
  ["MissingAuthenticationTokenException", 403],
  ["SignatureDoesNotMatch", 403],
  ["UnrecognizedClientException", 403],
  ["ModelNotReadyException", 429],
  ["ServiceQuotaExceededException", 429],
  ["ThrottlingException", 429],
  ["TooManyRequestsException", 429],
  ["ModelTimeoutException", 408],
  ["ResourceNotFoundException", 404],
])

/** The model failed, not the request, although the status (424) blames the caller. */
const FAILURES: ReadonlySet<string> = new Set(["ModelErrorException", "ModelStreamErrorException"])

/** Model names are configured by the operator; Bedrock reports an invalid one only in its message, with 400. */
const MODEL_PHRASES = ["model identifier is invalid", "on-demand throughput isn"]

/**
 * An error response of Bedrock (docs/wire/bedrock-converse.md#f8): the type is in a header, the message in the
 * body.
 */
export function decodeError(status: number, body: unknown, headers?: Headers): GatewayError {
  const error = readError(body, headers)
  if (FAILURES.has(error.type ?? "")) {
    return new GatewayError("upstream_error", `The provider failed with status ${status}.`)
  }
  return vendorRefusal(meantStatus(status, error), error)
}

/** An exception inside a stream that started with 200 (docs/wire/bedrock-converse.md#f9). */
export function decodeErrorEvent({
  event = "",
  data,
  json,
}: SseFrame): Extract<ChatEvent, { type: "error" }> {
  const payload = json ?? parseJsonObject(data)
  const words = payload === undefined ? data.trim() : messageOf(payload)
  const code = event.slice(event.indexOf(":") + 1)
  return errorEvent(words || undefined, code || undefined)
}

function readError(body: unknown, headers: Headers | undefined): VendorError {
  const payload = isJsonObject(body) ? body : {}
  const words = typeof body === "string" && !isPage(body) ? body.trim() : messageOf(payload)
  const type = shortType(headers?.get("x-amzn-errortype") ?? textAt(payload, "__type"))
  return defined({ message: words || undefined, type })
}

function meantStatus(status: number, { type, message }: VendorError): number {
  const meant = STATUS_OF_TYPE.get(type ?? "")
  if (meant !== undefined) return meant
  const words = message?.toLowerCase() ?? ""
  return status === 400 && MODEL_PHRASES.some((phrase) => words.includes(phrase)) ? 404 : status
}

/** `ValidationException:http://...` and `com.amazon.coral.service#ValidationException` are the same type. */
function shortType(type: string | undefined): string | undefined {
  return type?.split(":")[0]?.split("#").at(-1)?.trim().slice(0, 100) || undefined
}

function messageOf(payload: JsonObject): string | undefined {
  return (
    textAt(payload, "originalMessage") ?? textAt(payload, "message") ?? textAt(payload, "Message")
  )
}
