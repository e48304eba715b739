import { decodeRerankRequest } from "../../dialects/rerank/request.ts"
import { cohereMembers, encodeRerankResult } from "../../dialects/rerank/result.ts"
import type { Reranking } from "../../relay/reranking.ts"
import type { Handler } from "../server.ts"
import { jsonOperation, type JsonOperationServices } from "./json-operation.ts"

/** `POST /v1/rerank` */
export const RERANK_PATH = "/v1/rerank"

/** Where Cohere's newer clients ask, who expect what Cohere's API has beside the results. */
export const COHERE_RERANK_PATH = "/v2/rerank"

export function rerank(path: string, services: JsonOperationServices, relay: Reranking): Handler {
  return jsonOperation(path, services, async (call, body, caller) => {
    const order = decodeRerankRequest(body)
    const { value, headers } = await relay.rerank(call, order.request, caller)
    const result = encodeRerankResult(order, value.ranking)
    if (path === RERANK_PATH) return { json: result, headers }
    return { json: { ...cohereMembers(call.id, value.usage), ...result }, headers }
  })
}
