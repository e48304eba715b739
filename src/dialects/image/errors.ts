import type { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, listAt, objectAt, textAt } from "../../canon/json.ts"
import { type VendorError, vendorRejection } from "../../canon/vendor-error.ts"
import { defined } from "../shared/fields.ts"
import { readVendorError } from "../shared/errors.ts"

/**
 * Decodes errors of image providers: the forms of OpenAI-compatible providers, Google's `status`, Bedrock's `message`,
 * and Stability's list of `errors` with a `name`.
 */
export function decodeImageError(status: number, body: unknown): GatewayError {
  return vendorRejection(status, readError(body))
}

function readError(body: unknown): VendorError {
  const known = readVendorError(body)
  if (!isJsonObject(body)) return known
  const inner = objectAt(body, "error") ?? body
  const texts = listAt(body, "errors").filter((line) => typeof line === "string")
  const message = texts.length > 0 ? texts.join(" ") : textAt(inner, "Message")
  const type = textAt(inner, "status") ?? textAt(inner, "name")
  return { ...defined({ message, type }), ...known }
}
