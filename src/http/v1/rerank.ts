import type { JsonObject } from "../../canon/json.ts"
import { decodeRerankRequest } from "../../dialects/rerank/request.ts"
import { cohereMeta, type DocumentForm, encodeRerankResult } from "../../dialects/rerank/result.ts"
import { jsonOperation } from "./json-operation.ts"
import type { OperationEndpoint } from "./operation-endpoint.ts"

export const RERANK = rerankAt("/v1/rerank", "1", "supplied")

/** The endpoint for newer clients of Cohere, which expect documents as objects. */
export const COHERE_RERANK = rerankAt("/v2/rerank", "2", "objects")

function rerankAt(
  path: "/v1/rerank" | "/v2/rerank",
  version: "1" | "2",
  form: DocumentForm,
): OperationEndpoint {
  return jsonOperation({
    path,
    purpose: { kind: "rerank" },
    decode: decodeRerankRequest,
    plan: ({ rerank }, call, { request }) => rerank.plan(call, request),
    async perform({ rerank }, { call, request: input, caller }) {
      const { value, headers } = await rerank.rerank(call, input.request, caller)
      const encode = (): JsonObject => {
        const result = encodeRerankResult(input, value.ranking, form)
        return { id: call.id, ...result, meta: cohereMeta(version, value.usage) }
      }
      return { encode, headers }
    },
  })
}
