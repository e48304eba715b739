import type { EmbeddingFormat, Vector } from "../../../canon/embedding.ts"
import { isJsonObject, listAt, objectAt, textAt } from "../../../canon/json.ts"
import { jsonCall, jsonOf, unusable } from "../../../canon/operation-response.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { shortenedVectors, countedVectors, vectorOf } from "../../../canon/vectors.ts"
import { defined } from "../../shared/fields.ts"
import { batchesOf, lossesOf, textsOf, tokensOfCalls } from "./batches.ts"
import { GEMINI_FIELDS, taskOf } from "./gemini.ts"

/** Maximum texts per call (Vertex AI's reference for text embeddings). Gemini's own models accept only one. */
const MAX_TEXTS = 250

/**
 * Creates the format of Vertex AI's `predict` for embedding models (docs/contribute/wire/embeddings.md#f4), relative to
 * the publisher's address.
 * @param decodeError reads the vendor's errors.
 */
export function vertexEmbedding(decodeError: EmbeddingFormat["decodeError"]): EmbeddingFormat {
  return {
    takesTokens: false,
    encode(request, model) {
      const { dimensions, extra = {} } = request
      const task = taskOf(request)
      const title = textAt(extra, "title")
      const fields = defined({ task_type: task, title })
      const parameters =
        dimensions === undefined ? {} : { parameters: { outputDimensionality: dimensions } }
      const max = model.startsWith("gemini-") ? 1 : MAX_TEXTS
      const calls = batchesOf(textsOf(request), max).map((batch) =>
        jsonCall(`/models/${encodeURIComponent(model)}:predict`, {
          instances: batch.map((content) => ({ ...fields, content })),
          ...parameters,
        }),
      )
      return { calls, losses: lossesOf(request, GEMINI_FIELDS) }
    },
    decode(responses, request) {
      const calls = countedVectors(
        responses.map((response) => listAt(jsonOf(response), "predictions")),
        request,
      ).map((list) => list.map(predictionOf))
      const vectors = calls.flat().map(({ vector }) => vector)
      return {
        vectors: shortenedVectors(vectors, request),
        tokens: tokensOfCalls(calls.map(tokensOf)),
      }
    },
    decodeError,
  }
}

interface Prediction {
  readonly vector: Vector
  readonly tokens: number | undefined
}

function predictionOf(prediction: unknown): Prediction {
  const embeddings = isJsonObject(prediction) ? objectAt(prediction, "embeddings") : undefined
  if (embeddings === undefined) throw unusable("one of its predictions contains no embeddings")
  const tokens = objectAt(embeddings, "statistics")?.["token_count"]
  return { vector: vectorOf(embeddings["values"]), tokens: quantityOf(tokens) }
}

/** Returns the tokens of a call; undefined if the vendor did not count the tokens of each text. */
function tokensOf(predictions: readonly Prediction[]): number | undefined {
  let sum = 0
  for (const { tokens } of predictions) {
    if (tokens === undefined) return undefined
    sum += tokens
  }
  return sum
}
