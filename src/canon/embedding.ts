import type { JsonObject } from "./json.ts"
import type { LongValue } from "./long-value.ts"
import type { OperationFormat } from "./operation.ts"

/** The input of embeddings: texts, or tokens in OpenAI's vocabulary `cl100k_base`, which some clients send. */
export type EmbeddingInput =
  | { readonly type: "texts"; readonly texts: readonly string[] }
  | { readonly type: "tokens"; readonly tokens: readonly (readonly number[])[] }

/** The purpose of an embedding. Some vendors embed a question differently from its response. */
export type EmbeddingPurpose = "query" | "document" | "similarity" | "classification" | "clustering"

/** A request for embeddings. Each input gets one vector. */
export interface EmbeddingRequest {
  readonly model: string
  readonly input: EmbeddingInput
  /** The requested form of the vectors. */
  readonly encoding: "float" | "base64"
  readonly dimensions?: number
  readonly user?: string
  readonly purpose?: EmbeddingPurpose
  /** Unknown fields, including the caller's own name for the purpose. */
  readonly extra?: JsonObject
  /**
   * Whether the request came through Google's API. Vendors with OpenAI's format reject Google's field names. Shortened
   * vectors are then not rescaled, because Google's API does not rescale them.
   */
  readonly isGoogles?: boolean
}

/**
 * A vector as the vendor sent it, so that nothing is rounded: numbers, or the base64 of little-endian 32-bit floats. A
 * long vector may be unparsed.
 */
export type Vector = readonly number[] | string | LongValue

export interface EmbeddingResult {
  /** One vector for each input, in the same order. */
  readonly vectors: readonly Vector[]
  /** Input tokens as the vendor counted them; absent if the vendor never reports them, 0 if the count was missing. */
  readonly tokens?: number
}

/** Encodes and decodes embeddings for one family of vendors. */
export interface EmbeddingFormat extends OperationFormat<EmbeddingRequest, EmbeddingResult> {
  /** Whether the vendor accepts tokens as input. Otherwise, it only receives texts. */
  readonly takesTokens: boolean
}

export function inputCount(input: EmbeddingInput): number {
  return input.type === "texts" ? input.texts.length : input.tokens.length
}
