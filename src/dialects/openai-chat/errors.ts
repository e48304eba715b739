import type { ChatEvent } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { vendorRejection } from "../../canon/vendor-error.ts"
import { encodeError, errorEvent, readVendorError } from "../shared/errors.ts"

/**
 * Returns the error frame that ends a stream. Official clients throw when a chunk has an `error`
 * (docs/contribute/wire/openai-chat.md#f10). No `[DONE]` follows, because a client that ignores the error would treat
 * the response as complete.
 */
export function encodeBreak(error: GatewayError, requestId: string): SseFrame[] {
  const { body } = encodeError(error, requestId)
  return [{ data: JSON.stringify(body), json: body }]
}

/** Decodes an error in a stream that started with status 200 (docs/contribute/wire/README.md#f2). */
export function decodeErrorEvent(chunk: JsonObject): Extract<ChatEvent, { type: "error" }> {
  return errorEvent(readVendorError(chunk))
}

/** Returns the error for a response without a choice. It is invalid even if its vendor has counted tokens. */
export function noChoice(): GatewayError {
  return new GatewayError(
    "upstream_error",
    "The provider's response contains no choice. Try again.",
  )
}

/** Decodes an error response from a vendor that uses this dialect. */
export function decodeError(status: number, body: unknown): GatewayError {
  return vendorRejection(status, readVendorError(body))
}
