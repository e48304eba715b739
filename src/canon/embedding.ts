import type { JsonObject } from "./json.ts"
import type { OperationFormat } from "./operation.ts"

/** What is embedded: texts, or tokens in OpenAI's vocabulary `cl100k_base`, as some clients send them. */
export type EmbeddingInput =
  | { readonly type: "texts"; readonly texts: readonly string[] }
  | { readonly type: "tokens"; readonly tokens: readonly (readonly number[])[] }

/** What texts are embedded for: some vendors embed a question differently from what answers it. */
export type EmbeddingPurpose = "query" | "document" | "similarity" | "classification" | "clustering"

/** A request for one vector for each input. */
export interface EmbeddingRequest {
  readonly model: string
  readonly input: EmbeddingInput
  /** The form in which the caller wants the vectors. */
  readonly encoding: "float" | "base64"
  readonly dimensions?: number
  readonly user?: string
  readonly purpose?: EmbeddingPurpose
  /** Fields that have no name here, including the caller's own word for the purpose. */
  readonly extra?: JsonObject
  /**
   * Whether the request has the form of Google's API. Vendors of OpenAI's format reject its field names, and shortened
   * vectors stay unscaled, as Google returns them.
   */
  readonly isGoogles?: boolean
}

/** Numbers, or the base64 of little-endian 32-bit floats: as the vendor gave it, so that nothing is rounded. */
export type Vector = readonly number[] | string

/** The vectors of a request. */
export interface EmbeddingResult {
  /** In the order of the inputs. */
  readonly vectors: readonly Vector[]
  /** Input tokens as the vendor counted them. Absent where it never reports them, 0 where it failed to. */
  readonly tokens?: number
}

/** How one family of vendors embeds. */
export interface EmbeddingFormat extends OperationFormat<EmbeddingRequest, EmbeddingResult> {
  /** Whether it accepts tokens. Others are only sent texts. */
  readonly takesTokens: boolean
}

/** How many inputs there are. */
export function inputCount(input: EmbeddingInput): number {
  return input.type === "texts" ? input.texts.length : input.tokens.length
}
