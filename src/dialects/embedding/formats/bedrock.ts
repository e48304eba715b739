import type { EmbeddingFormat, EmbeddingRequest } from "../../../canon/embedding.ts"
import { GatewayError } from "../../../canon/errors.ts"
import type { Loss } from "../../../canon/extra.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import { jsonCall, jsonOf } from "../../../canon/operation-response.ts"
import type { OperationResponse } from "../../../canon/operation.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { countedVectors, vectorOf } from "../../../canon/vectors.ts"
import { lossesOf, textsOf, tokensOfCalls } from "./batches.ts"
import { cohereBodies, cohereVectors } from "./cohere.ts"

/** The response header with the input tokens of each `InvokeModel` call, as recorded. */
const TOKENS_HEADER = "x-amzn-bedrock-input-token-count"

/** The only version of Titan whose vectors can be shortened, or left unnormalized. */
const TITAN_2 = "titan-embed-text-v2"

/**
 * Creates the format of Bedrock's `InvokeModel` for embedding models: Amazon Titan, which embeds one text per call, and
 * Cohere's models (the Bedrock User Guide's pages on their inference parameters).
 * @param decodeError reads the vendor's errors.
 */
export function bedrockEmbedding(decodeError: EmbeddingFormat["decodeError"]): EmbeddingFormat {
  return {
    takesTokens: false,
    encode(request, model) {
      const { bodies, losses } = bodiesOf(request, model)
      const path = `/model/${encodeURIComponent(model)}/invoke`
      return { calls: bodies.map((body) => jsonCall(path, body)), losses }
    },
    decode(responses, request) {
      return {
        vectors: countedVectors(
          responses.map((response) => vectorsOf(jsonOf(response))),
          request,
        )
          .flat()
          .map(vectorOf),
        tokens: tokensOfCalls(responses.map(tokensOf)),
      }
    },
    decodeError,
  }
}

function bodiesOf(
  request: EmbeddingRequest,
  model: string,
): { readonly bodies: readonly JsonObject[]; readonly losses: readonly Loss[] } {
  // A model name may be plain, start with a region, or be the name of an inference profile.
  if (model.includes("cohere.")) return cohereBodies(request, model)
  if (model.includes("titan-embed-text") || model.includes("titan-embed-g1-text")) {
    return titanBodies(request, model)
  }
  throw new GatewayError(
    "model_not_supported",
    "This gateway does not support embeddings of this Amazon Bedrock model.",
    { parameter: "model" },
  )
}

function titanBodies(request: EmbeddingRequest, model: string) {
  const { dimensions, extra = {} } = request
  const isFlexible = model.includes(TITAN_2)
  const { normalize } = extra
  const fields: JsonObject = {}
  if (isFlexible && dimensions !== undefined) fields["dimensions"] = dimensions
  if (isFlexible && normalize !== undefined) fields["normalize"] = normalize
  const carried = new Set(isFlexible ? ["dimensions", "normalize"] : [])
  return {
    bodies: textsOf(request).map((text) => ({ ...fields, inputText: text })),
    losses: lossesOf(request, carried),
  }
}

function vectorsOf(body: JsonObject): readonly JsonValue[] {
  const { embedding } = body
  return embedding === undefined ? cohereVectors(body) : [embedding]
}

function tokensOf(response: OperationResponse): number | undefined {
  const tokens = response.headers.get(TOKENS_HEADER) ?? jsonOf(response)["inputTextTokenCount"]
  return quantityOf(tokens)
}
