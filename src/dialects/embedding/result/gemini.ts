import type { Vector } from "../../../canon/embedding.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { once } from "../../../canon/once.ts"
import { numbersOf } from "../../../canon/vectors.ts"

/**
 * Encodes the vectors in Google's format. Each vector is encoded when it is first read, as in OpenAI's format.
 * @param tokens the tokens of the input.
 */
export function encodeGeminiEmbeddings(
  vectors: readonly Vector[],
  tokens: number,
): { readonly embeddings: JsonObject[]; readonly usageMetadata: JsonObject } {
  return {
    embeddings: vectors.map((vector) => {
      const values = once(() => [...numbersOf(vector)])
      return {
        get values() {
          return values()
        },
      }
    }),
    usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens },
  }
}
