import { decodeRerankRequest } from "../../dialects/rerank/request.ts"
import { cohereMeta, encodeRerankResult } from "../../dialects/rerank/result.ts"
import type { Reranking } from "../../relay/operations/rerank/rerank.ts"
import type { Handler } from "../server.ts"
import { jsonOperation, type JsonOperationServices } from "./json-operation.ts"

/** `POST /v1/rerank` */
export const RERANK_PATH = "/v1/rerank"

/** Where Cohere's newer clients ask, to whom a document is an object. */
export const COHERE_RERANK_PATH = "/v2/rerank"

export function rerank(path: string, services: JsonOperationServices, relay: Reranking): Handler {
  const isCohere = path === COHERE_RERANK_PATH
  const form = isCohere ? "objects" : "supplied"
  const version = isCohere ? "2" : "1"
  return jsonOperation(path, services, async (call, body, caller) => {
    const order = decodeRerankRequest(body)
    const { value, headers } = await relay.rerank(call, order.request, caller)
    const result = encodeRerankResult(order, value.ranking, form)
    return { json: { id: call.id, ...result, meta: cohereMeta(version, value.usage) }, headers }
  })
}
