import type { ChatEvent } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { vendorRefusal } from "../../canon/vendor-error.ts"
import { encodeError, errorEvent } from "../shared/errors.ts"
import { readVendorError } from "../shared/read-vendor-error.ts"

/**
 * The frame that breaks a stream: official clients throw on a chunk with an `error`
 * (docs/contribute/wire/openai-chat.md#f10). No `[DONE]` follows, since a client that ignores the error would take the
 * answer for a complete one.
 */
export function encodeBreak(error: GatewayError, requestId: string): SseFrame[] {
  const { body } = encodeError(error, requestId)
  return [{ data: JSON.stringify(body), json: body }]
}

/** An error inside a stream that started with 200 (docs/contribute/wire/README.md#f2). */
export function decodeErrorEvent(chunk: JsonObject): Extract<ChatEvent, { type: "error" }> {
  return errorEvent(readVendorError(chunk))
}

/** An answer without a choice is invalid, even if its vendor has counted tokens. */
export function noChoice(): GatewayError {
  return new GatewayError("upstream_error", "The provider's answer holds no choice. Try again.")
}

/** An error response of a vendor of this dialect. */
export function decodeError(status: number, body: unknown): GatewayError {
  return vendorRefusal(status, readVendorError(body))
}
