import type { EmbeddingRequest } from "../../canon/embedding.ts"
import type { JsonObject } from "../../canon/json.ts"
import { totalInput } from "../../canon/usage.ts"
import {
  decodeGeminiEmbeddings,
  encodeGeminiEmbeddings,
} from "../../dialects/embedding/request/gemini.ts"
import { GEMINI, withAddress } from "../../dialects/gemini/index.ts"
import type { Embeddings } from "../../relay/operations/embedding/embeddings.ts"
import type { Handler } from "../server.ts"
import { errorIn } from "./chat-endpoint.ts"
import { addressedOf, type GoogleMethod, googlePath, readGoogleAddress } from "./google-address.ts"
import { jsonOperation, type JsonOperationServices } from "./json-operation.ts"

type EmbeddingMethod = Extract<GoogleMethod, "embedContent" | "batchEmbedContents">

/** `POST /v1beta/models/{model}:embedContent` and `:batchEmbedContents` */
export function embedContent(
  method: EmbeddingMethod,
  services: JsonOperationServices,
  relay: Embeddings,
): Handler {
  return jsonOperation(
    googlePath(method),
    services,
    async (call, body, request) => {
      const wanted = embeddingAt(method, body, new URL(request.url).pathname)
      const { value, headers } = await relay.embed(call, wanted, request)
      const { embeddings, ...told } = encodeGeminiEmbeddings(value.vectors, totalInput(value.usage))
      const [embedding] = embeddings
      const json =
        method === "embedContent" && embedding ? { embedding, ...told } : { embeddings, ...told }
      return { json, headers }
    },
    (error, id) => errorIn(GEMINI, error, id),
  )
}

/** What is to be embedded. @throws GatewayError */
export function embeddingAt(
  method: EmbeddingMethod,
  json: JsonObject,
  path: string,
): EmbeddingRequest {
  const address = readGoogleAddress(path) ?? { model: "", method }
  const body = withAddress(json, addressedOf(address))
  if (method === "embedContent") return decodeGeminiEmbeddings(address.model, [body], "")
  const requests = Array.isArray(body.requests) ? body.requests : []
  return decodeGeminiEmbeddings(address.model, requests, "requests")
}
