import type {
  EmbeddingFormat,
  EmbeddingRequest,
  EmbeddingResult,
} from "../../../src/canon/embedding.ts"
import { isJsonObject, type JsonObject } from "../../../src/canon/json.ts"
import type { OperationAnswer, OperationCall } from "../../../src/canon/operation.ts"
import { decodeEmbeddingRequest } from "../../../src/dialects/embedding/request/openai.ts"
import { vendors } from "../../../src/vendors/index.ts"

/** How a vendor embeds. */
export function embeddingOf(vendor: string): EmbeddingFormat {
  const format = vendors.get(vendor)?.operations?.embedding
  if (!format) throw new Error(`${vendor} does not embed`)
  return format
}

/** A request as a caller sends it. */
export function requestOf(body: JsonObject): EmbeddingRequest {
  return decodeEmbeddingRequest({ model: "a/b", input: "hello", ...body })
}

/** The JSON that a call sends. */
export function sentBy(call: OperationCall | undefined): JsonObject {
  if (call?.body.type !== "json" || !isJsonObject(call.body.json))
    throw new Error("no JSON is sent")
  return JSON.parse(JSON.stringify(call.body.json)) as JsonObject
}

/** The request to a vendor, and its losses. */
export function asked(vendor: string, body: JsonObject, model = "m") {
  const { calls, losses } = embeddingOf(vendor).encode(requestOf(body), model)
  return {
    path: calls[0]?.path,
    bodies: calls.map(sentBy),
    losses: losses.map(({ name, effect }) => `${name}:${effect}`),
  }
}

/** An answer with JSON. */
export function answerOf(json: unknown, headers: Record<string, string> = {}): OperationAnswer {
  return {
    headers: new Headers(headers),
    bytes: new TextEncoder().encode(typeof json === "string" ? json : JSON.stringify(json)),
  }
}

/** The result of the answers. */
export async function decoded(
  vendor: string,
  answers: readonly OperationAnswer[],
  body: JsonObject = {},
): Promise<EmbeddingResult> {
  return await embeddingOf(vendor).decode(answers, requestOf(body))
}
