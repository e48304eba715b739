import type {
  EmbeddingFormat,
  EmbeddingRequest,
  EmbeddingResult,
} from "../../../src/canon/embedding.ts"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import type { OperationResponse, OperationCall } from "../../../src/canon/operation.ts"
import { decodeEmbeddingRequest } from "../../../src/dialects/embedding/request/openai.ts"
import { vendors } from "../../../src/vendors/index.ts"

/** Returns the embedding format of a vendor. */
export function embeddingOf(vendor: string): EmbeddingFormat {
  const format = vendors.get(vendor)?.operations?.embedding
  if (!format) throw new Error(`${vendor} does not embed`)
  return format
}

/** Returns a decoded request of a caller. */
export function requestOf(body: JsonObject): EmbeddingRequest {
  return decodeEmbeddingRequest({ model: "a/b", input: "hello", ...body })
}

/** Returns the JSON body of a call. */
export function sentBy(call: OperationCall | undefined): JsonObject {
  if (call?.body.type !== "json" || !isJsonObject(call.body.json))
    throw new Error("no JSON is sent")
  return JSON.parse(JSON.stringify(call.body.json)) as JsonObject
}

/** Returns the request to a vendor, and its losses. */
export function asked(vendor: string, body: JsonObject, model = "m") {
  const { calls, losses } = embeddingOf(vendor).encode(requestOf(body), model)
  return {
    path: calls[0]?.path,
    bodies: calls.map(sentBy),
    losses: losses.map(({ name, effect }) => `${name}:${effect}`),
  }
}

/** Returns a response with a JSON body. */
export function responseOf(json: unknown, headers: Record<string, string> = {}): OperationResponse {
  return {
    headers: new Headers(headers),
    bytes: new TextEncoder().encode(typeof json === "string" ? json : JSON.stringify(json)),
  }
}

/** Returns the result of the given responses. */
export async function decoded(
  vendor: string,
  responses: readonly OperationResponse[],
  body: JsonObject = {},
): Promise<EmbeddingResult> {
  return await embeddingOf(vendor).decode(responses, requestOf(body))
}
