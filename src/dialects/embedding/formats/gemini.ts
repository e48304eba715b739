import type {
  EmbeddingFormat,
  EmbeddingPurpose,
  EmbeddingRequest,
} from "../../../canon/embedding.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../../canon/json.ts"
import { jsonCall, jsonOf } from "../../../canon/operation-response.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { shortenedVectors, countedVectors, vectorOf } from "../../../canon/vectors.ts"
import { defined } from "../../shared/fields.ts"
import { batchesOf, lossesOf, textsOf, tokensOfCalls } from "./batches.ts"

/** Maximum texts per call (the Gemini API's reference for `batchEmbedContents`). */
const MAX_TEXTS = 100

/** Google's `TaskType` for each purpose. */
const TASKS: Readonly<Record<EmbeddingPurpose, string>> = {
  query: "RETRIEVAL_QUERY",
  document: "RETRIEVAL_DOCUMENT",
  similarity: "SEMANTIC_SIMILARITY",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
}

/**
 * The fields of a request that Google supports. `input_type` may have the value of any vendor, and `task_type` is
 * Google's own field.
 */
export const GEMINI_FIELDS: ReadonlySet<string> = new Set([
  "dimensions",
  "input_type",
  "task_type",
  "title",
])

/**
 * Creates the format of the Gemini API's `batchEmbedContents` (docs/contribute/wire/embeddings.md#f3).
 * @param decodeError reads the vendor's errors.
 */
export function geminiEmbedding(decodeError: EmbeddingFormat["decodeError"]): EmbeddingFormat {
  return {
    takesTokens: false,
    encode(request, model) {
      const path = `/v1beta/models/${encodeURIComponent(model)}:batchEmbedContents`
      const { dimensions, extra = {} } = request
      const task = taskOf(request)
      const title = textAt(extra, "title")
      const fields = defined({
        model: `models/${model}`,
        taskType: task,
        title,
        outputDimensionality: dimensions,
      })
      const calls = batchesOf(textsOf(request), MAX_TEXTS).map((batch) =>
        jsonCall(path, {
          requests: batch.map((text) => ({ ...fields, content: { parts: [{ text }] } })),
        }),
      )
      return { calls, losses: lossesOf(request, GEMINI_FIELDS) }
    },
    decode(responses, request) {
      const bodies = responses.map(jsonOf)
      const vectors = countedVectors(
        bodies.map((body) => listAt(body, "embeddings")),
        request,
      )
        .flat()
        .map(valuesOf)
      const counts = bodies.map(tokensOf)
      return {
        vectors: shortenedVectors(vectors, request),
        // gemini-embedding-001 never reports tokens (docs/contribute/wire/embeddings.md#f3).
        ...(counts.includes(undefined) ? {} : { tokens: tokensOfCalls(counts) }),
      }
    },
    usageIn: (members) => ({ ...NO_USAGE, inputFresh: tokensOf(members) ?? 0 }),
    decodeError,
  }
}

/** Returns Google's name for the purpose of the texts. */
export function taskOf({ purpose, extra = {} }: EmbeddingRequest): string | undefined {
  if (purpose !== undefined) return TASKS[purpose]
  return textAt(extra, "task_type") ?? textAt(extra, "input_type")
}

function valuesOf(embedding: unknown) {
  return vectorOf(isJsonObject(embedding) ? embedding["values"] : undefined)
}

function tokensOf(body: JsonObject): number | undefined {
  return quantityOf(objectAt(body, "usageMetadata")?.["promptTokenCount"])
}
