import { isJsonObject, type JsonValue } from "../../../canon/json.ts"
import { unusable } from "../../../canon/operation-response.ts"
import type { DocumentScore, RerankRequest, RerankResult } from "../../../canon/rerank.ts"

/** A ranking, and whether its scores had to be mapped to 0 to 1. */
type Ranking = Pick<RerankResult, "ranking" | "isSquashed">

/**
 * Returns the documents with the highest scores, best first. Unbounded scores (the logits of some servers) are mapped
 * to 0 to 1, which keeps their order.
 */
export function ranked(scores: readonly DocumentScore[], { topN }: RerankRequest): Ranking {
  const isSquashed = scores.some(({ score }) => score < 0 || score > 1)
  const ranking = scores
    .toSorted((left, right) => right.score - left.score || left.index - right.index)
    .slice(0, topN)
  if (!isSquashed) return { ranking, isSquashed }
  return {
    ranking: ranking.map(({ index, score }) => ({ index, score: sigmoid(score) })),
    isSquashed,
  }
}

/**
 * Returns the scores in a response.
 * @param results the value of the member with the scores.
 * @throws GatewayError `upstream_error` if it is not a list, as in an error with status 200, or if documents are
 * missing.
 */
export function scoresOf(
  results: JsonValue | undefined,
  { documents, topN }: RerankRequest,
): DocumentScore[] {
  if (!Array.isArray(results)) throw unusable("it has no results")
  if (results.length < topN) {
    throw unusable(`it has ${results.length} results instead of ${topN}`)
  }
  const seen = new Set<number>()
  return results.map((result) => {
    const { index, relevance_score: score } = isJsonObject(result) ? result : {}
    if (typeof index !== "number" || documents[index] === undefined || seen.has(index)) {
      throw unusable("its indexes do not match the documents")
    }
    if (typeof score !== "number" && typeof score !== "bigint") {
      throw unusable("one of its documents has no score")
    }
    seen.add(index)
    return { index, score: Number(score) }
  })
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit))
}
