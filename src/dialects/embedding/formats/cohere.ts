import type {
  EmbeddingFormat,
  EmbeddingPurpose,
  EmbeddingRequest,
} from "../../../canon/embedding.ts"
import type { Loss } from "../../../canon/extra.ts"
import {
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
} from "../../../canon/json.ts"
import { jsonCall, jsonOf } from "../../../canon/operation-response.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { countedVectors, vectorOf } from "../../../canon/vectors.ts"
import { batchesOf, lossesOf, textsOf, tokensOfCalls } from "./batches.ts"

/** Maximum texts per call (Cohere's reference for `embed`, for its own API and for Bedrock). */
const MAX_TEXTS = 96

/** Fields of the caller that Cohere has under the same name. */
const OWN_FIELDS = ["truncate", "max_tokens", "priority"] as const

/**
 * Cohere's input type for each purpose. Cohere's models require an input type. Texts are documents unless the caller
 * sets another purpose.
 */
const PURPOSES: Readonly<Record<EmbeddingPurpose, string>> = {
  query: "search_query",
  document: "search_document",
  similarity: "clustering",
  classification: "classification",
  clustering: "clustering",
}

/** Matches models with vectors of a fixed length. Since version 4, the length can be chosen. */
const FIXED_LENGTH = /embed-.*v[23](?!\d)/

/**
 * Creates the format of Cohere's `POST /v2/embed` (docs/contribute/wire/embeddings.md#f5).
 * @param decodeError reads the vendor's errors.
 */
export function cohereEmbedding(decodeError: EmbeddingFormat["decodeError"]): EmbeddingFormat {
  return {
    takesTokens: false,
    encode(request, model) {
      const { bodies, losses } = cohereBodies(request, model)
      return { calls: bodies.map((body) => jsonCall("/v2/embed", { model, ...body })), losses }
    },
    decode(responses, request) {
      const bodies = responses.map(jsonOf)
      const vectors = countedVectors(bodies.map(cohereVectors), request).flat().map(vectorOf)
      return { vectors, tokens: tokensOfCalls(bodies.map(billedTokens)) }
    },
    usageIn: (members) => ({ ...NO_USAGE, inputFresh: billedTokens(members) ?? 0 }),
    decodeError,
  }
}

/** Returns the request bodies for a Cohere model on any platform, without the model's name. */
export function cohereBodies(
  request: EmbeddingRequest,
  model: string,
): { readonly bodies: readonly JsonObject[]; readonly losses: readonly Loss[] } {
  const { dimensions, purpose, extra = {} } = request
  const own = OWN_FIELDS.filter((name) => isDefined(extra[name]))
  const fields: JsonObject = Object.fromEntries(own.map((name) => [name, extra[name]]))
  const word = purpose === undefined ? extra["input_type"] : PURPOSES[purpose]
  fields["input_type"] = word ?? PURPOSES.document
  fields["embedding_types"] = ["float"]
  const carried = new Set<string>([...own, "input_type"])
  if (dimensions !== undefined && !FIXED_LENGTH.test(model)) {
    fields["output_dimension"] = dimensions
    carried.add("dimensions")
  }
  const losses = lossesOf(request, carried)
  if (purpose === "similarity") losses.push({ name: "input_type", effect: "approximated" })
  const batches = batchesOf(textsOf(request), MAX_TEXTS)
  return { bodies: batches.map((batch) => ({ ...fields, texts: [...batch] })), losses }
}

/** Returns the vectors, which are grouped by type or, for older models on Bedrock, in a plain list. */
export function cohereVectors(body: JsonObject): readonly JsonValue[] {
  const byType = objectAt(body, "embeddings")
  return byType === undefined ? listAt(body, "embeddings") : listAt(byType, "float")
}

function billedTokens(body: JsonObject): number | undefined {
  const meta = objectAt(body, "meta")
  const units = meta === undefined ? undefined : objectAt(meta, "billed_units")
  const tokens = units?.["input_tokens"]
  return quantityOf(tokens)
}
