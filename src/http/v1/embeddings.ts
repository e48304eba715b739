import { MAX_EMBEDDING_VALUES } from "#contract/request-limits.ts"
import { totalInput } from "../../canon/usage.ts"
import { decodeEmbeddingRequest } from "../../dialects/embedding/request/openai.ts"
import { encodeEmbeddingResult } from "../../dialects/embedding/result/openai.ts"
import type { BodyPurpose } from "./calls.ts"
import { jsonOperation } from "./json-operation.ts"

/** The purpose of embedding bodies. A text can also be a list of tokens (docs/reference/api.md#limits). */
export const EMBEDDING_BODY: Omit<BodyPurpose, "path"> = {
  kind: "embedding",
  maxValues: MAX_EMBEDDING_VALUES,
}

export const EMBEDDINGS = jsonOperation({
  path: "/v1/embeddings",
  purpose: EMBEDDING_BODY,
  decode: decodeEmbeddingRequest,
  plan: ({ embedding }, call, request) => embedding.plan(call, request),
  async perform({ embedding }, { call, request, caller }) {
    const { value, headers, deployment } = await embedding.embed(call, request, caller)
    const model = deployment.member?.name ?? request.model
    return {
      encode: () =>
        encodeEmbeddingResult({ ...request, model }, value.vectors, totalInput(value.usage)),
      headers,
    }
  },
})
