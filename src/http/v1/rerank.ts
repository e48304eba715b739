import type { ServicePath } from "#contract/service-routes.ts"
import type { JsonObject } from "../../canon/json.ts"
import { decodeRerankRequest } from "../../dialects/rerank/request.ts"
import { cohereMeta, encodeRerankResult } from "../../dialects/rerank/result.ts"
import type { Reranking } from "../../relay/operations/rerank/rerank.ts"
import type { Route } from "../server.ts"
import type { Calls } from "./calls.ts"
import { jsonOperation } from "./json-operation.ts"

/** `POST /v1/rerank` */
export const RERANK_PATH = "/v1/rerank" satisfies ServicePath

/** Where Cohere's newer clients ask, to whom a document is an object. */
export const COHERE_RERANK_PATH = "/v2/rerank" satisfies ServicePath

export function rerank(
  path: typeof RERANK_PATH | typeof COHERE_RERANK_PATH,
  calls: Calls,
  relay: Reranking,
): Route {
  const isCohere = path === COHERE_RERANK_PATH
  const form = isCohere ? "objects" : "supplied"
  const version = isCohere ? "2" : "1"
  return jsonOperation({
    path,
    calls,
    purpose: { kind: "rerank" },
    async perform(call, body, caller) {
      const input = decodeRerankRequest(body)
      const { value, headers } = await relay.rerank(call, input.request, caller)
      const encode = (): JsonObject => {
        const result = encodeRerankResult(input, value.ranking, form)
        return { id: call.id, ...result, meta: cohereMeta(version, value.usage) }
      }
      return { encode, headers }
    },
  })
}
