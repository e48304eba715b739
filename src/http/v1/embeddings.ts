import { MAX_EMBEDDING_VALUES } from "#contract/request-limits.ts"
import type { ServicePath } from "#contract/service-routes.ts"
import { totalInput } from "../../canon/usage.ts"
import { decodeEmbeddingRequest } from "../../dialects/embedding/request/openai.ts"
import { encodeEmbeddingResult } from "../../dialects/embedding/result/openai.ts"
import type { Embeddings } from "../../relay/operations/embedding/embeddings.ts"
import type { Route } from "../server.ts"
import type { BodyPurpose, Calls } from "./calls.ts"
import { jsonOperation } from "./json-operation.ts"

/** `POST /v1/embeddings` */
export const EMBEDDINGS_PATH: ServicePath = "/v1/embeddings"

/** A text can be a list of its tokens (docs/api.md#limits). */
export const EMBEDDING_BODY: Omit<BodyPurpose, "path"> = {
  kind: "embedding",
  maxValues: MAX_EMBEDDING_VALUES,
}

export function embeddings(calls: Calls, relay: Embeddings): Route {
  return jsonOperation({
    path: EMBEDDINGS_PATH,
    calls,
    purpose: EMBEDDING_BODY,
    async perform(call, body, caller) {
      const request = decodeEmbeddingRequest(body)
      const { value, headers, deployment } = await relay.embed(call, request, caller)
      const model = deployment.member?.name ?? request.model
      return {
        encode: () =>
          encodeEmbeddingResult({ ...request, model }, value.vectors, totalInput(value.usage)),
        headers,
      }
    },
  })
}
