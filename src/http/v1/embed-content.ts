import type { EmbeddingRequest } from "../../canon/embedding.ts"
import { type JsonObject, textAt } from "../../canon/json.ts"
import { totalInput } from "../../canon/usage.ts"
import { decodeGeminiEmbeddings } from "../../dialects/embedding/request/gemini.ts"
import { encodeGeminiEmbeddings } from "../../dialects/embedding/result/gemini.ts"
import { GEMINI } from "../../dialects/gemini/index.ts"
import { errorsIn } from "./dialect-errors.ts"
import { EMBEDDING_BODY } from "./embeddings.ts"
import { addressedBody, type GoogleMethod, googlePath } from "./google-address.ts"
import { jsonOperation } from "./json-operation.ts"
import type { OperationEndpoint } from "./operation-endpoint.ts"

type EmbeddingMethod = Extract<GoogleMethod, "embedContent" | "batchEmbedContents">

/** `POST /v1beta/models/{model}:embedContent` */
export const EMBED_CONTENT = googleEmbeddings("embedContent")
/** `POST /v1beta/models/{model}:batchEmbedContents` */
export const BATCH_EMBED_CONTENTS = googleEmbeddings("batchEmbedContents")

function googleEmbeddings(method: EmbeddingMethod): OperationEndpoint {
  return jsonOperation({
    path: googlePath(method),
    purpose: EMBEDDING_BODY,
    errors: errorsIn(GEMINI),
    decode: (body, url) => embeddingAt(method, body, url),
    plan: ({ embedding }, call, request) => embedding.plan(call, request),
    async perform({ embedding }, { call, request, caller }) {
      const { value, headers } = await embedding.embed(call, request, caller)
      const encode = (): JsonObject => {
        const tokens = totalInput(value.usage)
        const { embeddings, ...rest } = encodeGeminiEmbeddings(value.vectors, tokens)
        const [first] = embeddings
        const isOne = method === "embedContent" && first !== undefined
        return isOne ? { embedding: first, ...rest } : { embeddings, ...rest }
      }
      return { encode, headers }
    },
  })
}

/** Decodes the texts to embed. @throws GatewayError */
function embeddingAt(method: EmbeddingMethod, json: JsonObject, url: string): EmbeddingRequest {
  const body = addressedBody(json, url)
  const model = textAt(body, "model") ?? ""
  if (method === "embedContent") return decodeGeminiEmbeddings(model, [body], "")
  const requests = Array.isArray(body.requests) ? body.requests : []
  return decodeGeminiEmbeddings(model, requests, "requests")
}
