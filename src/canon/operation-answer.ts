import { GatewayError } from "./errors.ts"
import { isJsonObject, type JsonObject, parseJson } from "./json.ts"
import type { OperationAnswer, OperationCall } from "./operation.ts"

/** A call that sends JSON. */
export function jsonCall(path: string, json: JsonObject): OperationCall {
  return { path, body: { type: "json", json } }
}

/**
 * The JSON object that an answer holds.
 * @throws GatewayError `upstream_error`.
 */
export function jsonOf(answer: OperationAnswer): JsonObject {
  const value = parseJson(new TextDecoder().decode(answer.bytes))
  if (value === undefined) throw unusable("it is not valid JSON")
  if (!isJsonObject(value)) throw unusable("it is no JSON object")
  return value
}

/** A response with status 200 that is unusable. @param fault what is wrong with it, as the end of a sentence. */
export function unusable(fault: string, cause?: unknown): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The provider's answer cannot be used: ${fault}.`,
    cause === undefined ? {} : { cause },
  )
}
