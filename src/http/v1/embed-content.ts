import type { EmbeddingRequest } from "../../canon/embedding.ts"
import type { JsonObject } from "../../canon/json.ts"
import { totalInput } from "../../canon/usage.ts"
import { decodeGeminiEmbeddings } from "../../dialects/embedding/request/gemini.ts"
import { GEMINI, withAddress } from "../../dialects/gemini/index.ts"
import type { Embeddings } from "../../relay/operations/embedding/embeddings.ts"
import type { Route } from "../server.ts"
import type { Calls } from "./calls.ts"
import { EMBEDDING_BODY } from "./embeddings.ts"
import { errorsIn } from "./dialect-errors.ts"
import { addressedOf, type GoogleMethod, googlePath, readGoogleAddress } from "./google-address.ts"
import { jsonOperation } from "./json-operation.ts"
import { encodeGeminiEmbeddings } from "../../dialects/embedding/result/gemini.ts"

type EmbeddingMethod = Extract<GoogleMethod, "embedContent" | "batchEmbedContents">

/** `POST /v1beta/models/{model}:embedContent` and `:batchEmbedContents` */
export function embedContent(method: EmbeddingMethod, calls: Calls, relay: Embeddings): Route {
  return jsonOperation({
    path: googlePath(method),
    calls,
    purpose: EMBEDDING_BODY,
    errors: errorsIn(GEMINI),
    async perform(call, body, request) {
      const wanted = embeddingAt(method, body, new URL(request.url).pathname)
      const { value, headers } = await relay.embed(call, wanted, request)
      const encode = (): JsonObject => {
        const tokens = totalInput(value.usage)
        const { embeddings, ...rest } = encodeGeminiEmbeddings(value.vectors, tokens)
        const [embedding] = embeddings
        const isOne = method === "embedContent" && embedding !== undefined
        return isOne ? { embedding, ...rest } : { embeddings, ...rest }
      }
      return { encode, headers }
    },
  })
}

/** The texts to embed. @throws GatewayError */
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
