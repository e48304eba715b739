import { totalInput } from "../../canon/usage.ts"
import { decodeEmbeddingRequest } from "../../dialects/embedding/request/openai.ts"
import { encodeEmbeddingResult } from "../../dialects/embedding/result/openai.ts"
import type { Embeddings } from "../../relay/operations/embedding/embeddings.ts"
import type { Handler } from "../server.ts"
import { jsonOperation, type JsonOperationServices } from "./json-operation.ts"

/** `POST /v1/embeddings` */
export const EMBEDDINGS_PATH = "/v1/embeddings"

export function embeddings(services: JsonOperationServices, relay: Embeddings): Handler {
  return jsonOperation(EMBEDDINGS_PATH, services, async (call, body, caller) => {
    const request = decodeEmbeddingRequest(body)
    const { value, headers } = await relay.embed(call, request, caller)
    return { json: encodeEmbeddingResult(request, value.vectors, totalInput(value.usage)), headers }
  })
}
