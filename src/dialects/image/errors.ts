import type { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, listAt, objectAt, textAt } from "../../canon/json.ts"
import { type VendorError, vendorRefusal } from "../../canon/vendor-error.ts"
import { defined } from "../shared/fields.ts"

/**
 * Error messages of image vendors: OpenAI's and Google's `error` objects, xAI's `error` text, Bedrock's
 * `message`, Stability's list of `errors`, or plain text.
 */
export function decodeImageError(status: number, body: unknown): GatewayError {
  return vendorRefusal(status, readError(body))
}

function readError(body: unknown): VendorError {
  if (typeof body === "string") return body === "" ? {} : { message: body }
  if (!isJsonObject(body)) return {}
  const inner = objectAt(body, "error") ?? body
  const { error } = body
  const errors = listAt(body, "errors").filter((line) => typeof line === "string")
  const message =
    errors.length > 0
      ? errors.join(" ")
      : (textAt(inner, "message") ??
        textAt(inner, "Message") ??
        (typeof error === "string" ? error : undefined))
  return defined({
    message,
    type: textAt(inner, "type") ?? textAt(inner, "status") ?? textAt(inner, "name"),
    code: textAt(inner, "code"),
    parameter: textAt(inner, "param"),
  })
}
