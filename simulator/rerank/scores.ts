import { wordsIn } from "../words.ts"

/** A document's relevance. */
export interface Scored {
  readonly index: number
  readonly relevance_score: number
}

const MIN = 0.05
const MAX = 0.95

/**
 * Returns a score between 0 and 1 for each document, in the order of the documents. A score is the share of the query's
 * words that the document contains.
 */
export function scoresOf(query: string, documents: readonly string[]): Scored[] {
  const words = new Set(wordsIn(query))
  return documents.map((document, index) => {
    const found = new Set(wordsIn(document).filter((word) => words.has(word)))
    return { index, relevance_score: MIN + ((MAX - MIN) * found.size) / words.size }
  })
}

/** Returns the best scores, highest first. */
export function bestOf(scores: readonly Scored[], limit: number): Scored[] {
  return scores
    .toSorted((left, right) => right.relevance_score - left.relevance_score)
    .slice(0, limit)
}

/** Converts scores to the logits that a model without a final probability function reports. */
export function logitsOf(scores: readonly Scored[]): Scored[] {
  return scores.map(({ index, relevance_score: score }) => ({
    index,
    relevance_score: Math.log(score / (1 - score)),
  }))
}
