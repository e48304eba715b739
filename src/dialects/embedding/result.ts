import type { EmbeddingRequest, Vector } from "../../canon/embedding.ts"
import type { JsonPiece } from "../../canon/sliced-json-text.ts"
import { vectorJson, numbersOf } from "../../canon/vectors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { once } from "../../canon/once.ts"

/**
 * Encodes the response to a request for embeddings (docs/use/endpoints.md#embeddings), in the requested encoding. Each
 * vector is encoded when its piece is read, because encoding all vectors at once would block the event loop.
 * @param tokens the tokens of the input.
 */
export function* encodeEmbeddingResult(
  { model, encoding }: EmbeddingRequest,
  vectors: readonly Vector[],
  tokens: number,
): Generator<JsonPiece> {
  let before = '{"object":"list","data":['
  for (const [index, vector] of vectors.entries()) {
    yield `${before}{"object":"embedding","index":${index},"embedding":`
    yield vectorJson(vector, encoding)
    before = "},"
  }
  const end = vectors.length === 0 ? before : "}"
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  yield `${end}],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`
}

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
