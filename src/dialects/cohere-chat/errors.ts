import type { ChatEvent } from "../../canon/chat.ts"
import { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, textAt } from "../../canon/json.ts"
import { type VendorError, vendorRejection } from "../../canon/vendor-error.ts"
import { errorEvent, isPage } from "../shared/errors.ts"
import { failedGeneration } from "../shared/finish.ts"
import { defined } from "../shared/fields.ts"

/** Statuses that only Cohere uses (Cohere's `errors` page, the error classes of npm cohere-ai). */
const BLOCKED = 498
const CANCELLED = 499

/**
 * Decodes an error response: `{id, message}`, sometimes with an `error_type` (docs/contribute/wire/cohere-chat.md#f6).
 */
export function decodeError(status: number, body: unknown): GatewayError {
  if (status === CANCELLED) {
    return new GatewayError("upstream_error", "The provider aborted the request. Try again.")
  }
  // The prompt or the response contains a blocked word, so this is an error in the request.
  return vendorRejection(status === BLOCKED ? 400 : status, readVendorError(body))
}

/** Decodes an error that is sent in place of a stream event. */
export function decodeErrorEvent(chunk: JsonObject): Extract<ChatEvent, { type: "error" }> {
  return errorEvent({ message: failedGeneration().message, ...readVendorError(chunk) })
}

function readVendorError(body: unknown): VendorError {
  if (typeof body === "string") return isPage(body) || body === "" ? {} : { message: body }
  if (!isJsonObject(body)) return {}
  return defined({ message: textAt(body, "message"), type: textAt(body, "error_type") })
}
