import type { JsonObject } from "../../canon/json.ts"
import type { DocumentScore } from "../../canon/rerank.ts"
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
