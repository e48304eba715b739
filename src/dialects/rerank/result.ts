import type { JsonObject } from "../../canon/json.ts"
import type { DocumentScore } from "../../canon/rerank.ts"
import { totalInput, type Usage } from "../../canon/usage.ts"
import type { RerankOrder } from "./request.ts"

/** The answer to a rerank request (SPEC, "Rerank result"); documents as they were supplied. */
export function encodeRerankResult(
  { supplied, returnDocuments }: RerankOrder,
  ranking: readonly DocumentScore[],
): JsonObject {
  return {
    results: ranking.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(returnDocuments && { document: supplied[index] }),
    })),
  }
}

/** What Cohere's second version has beside the results, and the AI SDK's provider cannot do without. */
export function cohereMembers(id: string, usage: Usage): JsonObject {
  const { searches } = usage
  const units = searches > 0 ? { search_units: searches } : { input_tokens: totalInput(usage) }
  return { id, meta: { api_version: { version: "2" }, billed_units: units } }
}
