import type { ResponseHeaders } from "../../canon/operation.ts"
import type { ChatEvent } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import type { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, parseJsonObject, textAt } from "../../canon/json.ts"
import { type VendorError, vendorRejection } from "../../canon/vendor-error.ts"
import { errorEvent, isPage } from "../shared/errors.ts"
import { defined } from "../shared/fields.ts"

/**
 * Decodes an error response from Bedrock (docs/contribute/wire/bedrock-converse.md#f8). The type is in a header, and
 * the message is in the body.
 */
export function decodeError(
  status: number,
  body: unknown,
  headers?: ResponseHeaders,
): GatewayError {
  return vendorRejection(status, readError(body, headers))
}

/** Decodes an exception in a stream that started with status 200 (docs/contribute/wire/bedrock-converse.md#f9). */
export function decodeErrorEvent({
  event = "",
  data,
  json,
}: SseFrame): Extract<ChatEvent, { type: "error" }> {
  const payload = json ?? parseJsonObject(data)
  const words = payload === undefined ? data.trim() : messageOf(payload)
  const code = event.slice(event.indexOf(":") + 1)
  return errorEvent(defined({ message: words || undefined, code: code || undefined }))
}

function readError(body: unknown, headers: ResponseHeaders | undefined): VendorError {
  const payload = isJsonObject(body) ? body : {}
  const words = typeof body === "string" && !isPage(body) ? body.trim() : messageOf(payload)
  const type = shortType(headers?.get("x-amzn-errortype") ?? textAt(payload, "__type"))
  return defined({ message: words || undefined, type })
}

/**
 * Returns the short name of a type. `ValidationException:http://...` and `com.amazon.coral.service#ValidationException`
 * are the same type.
 */
function shortType(type: string | undefined): string | undefined {
  return type?.split(":")[0]?.split("#").at(-1)?.trim().slice(0, 100) || undefined
}

function messageOf(payload: JsonObject): string | undefined {
  return (
    textAt(payload, "originalMessage") ?? textAt(payload, "message") ?? textAt(payload, "Message")
  )
}
