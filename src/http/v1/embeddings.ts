import { MAX_EMBEDDING_VALUES } from "#contract/request-limits.ts"
import { totalInput } from "../../canon/usage.ts"
import { decodeEmbeddingRequest } from "../../dialects/embedding/request/openai.ts"
import { encodeEmbeddingResult, encodeGeminiEmbeddings } from "../../dialects/embedding/result.ts"
import type { BodyPurpose } from "./calls.ts"
import { chargedResponse, jsonOperation, type OperationEndpoint } from "./operation-endpoint.ts"
import type { EmbeddingRequest } from "../../canon/embedding.ts"
import { type JsonObject, textAt } from "../../canon/json.ts"
import { decodeGeminiEmbeddings } from "../../dialects/embedding/request/gemini.ts"
import { GEMINI } from "../../dialects/gemini/index.ts"
import { errorsIn } from "./dialect-errors.ts"
import { addressedBody, type GoogleMethod, googlePath } from "./google-address.ts"

/** The purpose of embedding bodies. A text can also be a list of tokens (docs/reference/api.md#limits). */
const EMBEDDING_BODY: Omit<BodyPurpose, "path"> = {
  kind: "embedding",
  maxValues: MAX_EMBEDDING_VALUES,
}

export const EMBEDDINGS = jsonOperation({
  path: "/v1/embeddings",
  purpose: EMBEDDING_BODY,
  decode: decodeEmbeddingRequest,
  plan: ({ embedding }, call, request) => embedding.plan(call, request),
  async perform({ performers: { embedding } }, { call, request, context }) {
    const { value, headers, deployment } = await embedding.embed(call, request, context.request)
    const model = deployment.member?.name ?? request.model
    return chargedResponse(headers, () =>
      encodeEmbeddingResult({ ...request, model }, value.vectors, totalInput(value.usage)),
    )
  },
})

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
    async perform({ performers: { embedding } }, { call, request, context }) {
      const { value, headers } = await embedding.embed(call, request, context.request)
      return chargedResponse(headers, () => {
        const tokens = totalInput(value.usage)
        const { embeddings, ...rest } = encodeGeminiEmbeddings(value.vectors, tokens)
        const [first] = embeddings
        const isOne = method === "embedContent" && first !== undefined
        return isOne ? { embedding: first, ...rest } : { embeddings, ...rest }
      })
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
