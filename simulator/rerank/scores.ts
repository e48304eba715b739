import { wordsIn } from "../words.ts"

/** How well a document answers. */
export interface Scored {
  readonly index: number
  readonly relevance_score: number
}

const MIN = 0.05
const MAX = 0.95

/** Scores between 0 and 1: the part of the query's words that a document has. In the documents' order. */
export function scoresOf(query: string, documents: readonly string[]): Scored[] {
  const words = new Set(wordsIn(query))
  return documents.map((document, index) => {
    const found = new Set(wordsIn(document).filter((word) => words.has(word)))
    return { index, relevance_score: MIN + ((MAX - MIN) * found.size) / words.size }
  })
}

/** The best of them, the best first. */
export function bestOf(scores: readonly Scored[], limit: number): Scored[] {
  return scores
    .toSorted((left, right) => right.relevance_score - left.relevance_score)
    .slice(0, limit)
}

/** The same as a model gives them that has not been told of probabilities. */
export function logitsOf(scores: readonly Scored[]): Scored[] {
  return scores.map(({ index, relevance_score: score }) => ({
    index,
    relevance_score: Math.log(score / (1 - score)),
  }))
}
