import { GatewayError } from "./errors.ts"
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "./json.ts"
import type { OperationResponse, OperationCall } from "./operation.ts"
import { reportedErrorIn } from "./reported-error.ts"
import type { Usage } from "./usage.ts"

const GOOD_STATUS = 200
/** Maximum bytes of a response that is parsed in one turn of the event loop. */
const MAX_UNPARSED = 8 * 1024 * 1024

export function jsonCall(path: string, json: JsonObject): OperationCall {
  return { path, body: { type: "json", json } }
}

/**
 * Returns the JSON object of a response.
 * @throws GatewayError `upstream_error`, or the error that the response reports.
 */
export function jsonOf(response: OperationResponse): JsonObject {
  const value = parsed(response)
  if (value === undefined) throw unusable("it is not valid JSON")
  const error = reportedErrorIn(value)
  if (error !== undefined) {
    const { headers, decodeError } = response
    throw decodeError?.(GOOD_STATUS, error, headers) ?? unusable("it is an error")
  }
  if (!isJsonObject(value)) throw unusable("it is not a JSON object")
  return value
}

export function isErrorResponse(response: OperationResponse): boolean {
  return reportedErrorIn(parsed(response)) !== undefined
}

/**
 * Returns the JSON value of a response. JSON responses were parsed earlier; a long response without `json` is not JSON.
 */
function parsed({ json, bytes }: OperationResponse): JsonValue | undefined {
  if (json !== undefined) return json
  return bytes.length > MAX_UNPARSED ? undefined : parseJson(new TextDecoder().decode(bytes))
}

/**
 * Returns the error for an unusable response with status 200.
 * @param fault the problem, worded as the end of a sentence.
 */
export function unusable(fault: string, cause?: unknown): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The provider's response cannot be used: ${fault}.`,
    cause === undefined ? {} : { cause },
  )
}

/**
 * Runs a reader of a complete response. If the request contained fields that only its vendor defines, they may have
 * changed the form of the response. An unusable response is then billed, and no other deployment is tried.
 * @param extra the fields that only the vendor defines.
 * @param usage as the vendor reported it.
 */
export function readForm<T>(extra: JsonObject | undefined, read: () => T, usage?: Usage): T {
  try {
    return read()
  } catch (thrown) {
    const isUnusable = thrown instanceof GatewayError && thrown.kind === "upstream_error"
    if (!isUnusable || extra === undefined) throw thrown
    throw new GatewayError(
      thrown.kind,
      `${thrown.message} Leave out the fields that this vendor alone defines: ${Object.keys(extra).join(", ").slice(0, 200)}.`,
      { ...thrown.details, providerError: "generation", billedResponse: usage ? { usage } : {} },
    )
  }
}
