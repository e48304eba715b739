import type { EmbeddingRequest, Vector } from "../../../canon/embedding.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { base64Of, numbersOf } from "../../../canon/vectors.ts"

/**
 * The response to a request for embeddings (docs/use/endpoints.md#embeddings), in the requested encoding.
 * @param tokens input tokens.
 */
export function encodeEmbeddingResult(
  request: EmbeddingRequest,
  vectors: readonly Vector[],
  tokens: number,
): JsonObject {
  const isText = request.encoding === "base64"
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: isText ? base64Of(vector) : [...numbersOf(vector)],
    })),
    model: request.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}
