import type { Vector } from "../../../canon/embedding.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { numbersOf } from "../../../canon/vectors.ts"

/** The vectors in Google's format. @param tokens of the input. */
export function encodeGeminiEmbeddings(
  vectors: readonly Vector[],
  tokens: number,
): { readonly embeddings: JsonObject[]; readonly usageMetadata: JsonObject } {
  return {
    embeddings: vectors.map((vector) => ({ values: [...numbersOf(vector)] })),
    usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens },
  }
}
