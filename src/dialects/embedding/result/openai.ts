import type { EmbeddingRequest, Vector } from "../../../canon/embedding.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { once } from "../../../canon/once.ts"
import { base64Of, numbersOf } from "../../../canon/vectors.ts"

/**
 * Encodes the response to a request for embeddings (docs/use/endpoints.md#embeddings), in the requested encoding. Each
 * vector is encoded when it is first read, because the response is written in slices. Encoding all vectors at once
 * would block the event loop.
 * @param tokens the tokens of the input.
 */
export function encodeEmbeddingResult(
  request: EmbeddingRequest,
  vectors: readonly Vector[],
  tokens: number,
): JsonObject {
  const isText = request.encoding === "base64"
  return {
    object: "list",
    data: vectors.map((vector, index) => {
      const embedding = once(() => (isText ? base64Of(vector) : [...numbersOf(vector)]))
      return {
        object: "embedding",
        index,
        get embedding() {
          return embedding()
        },
      }
    }),
    model: request.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}
