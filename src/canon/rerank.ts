import type { JsonObject } from "./json.ts"
import type { OperationFormat } from "./operation.ts"

/** A request to sort documents by their relevance to a query. */
export interface RerankRequest {
  readonly model: string
  readonly query: string
  readonly documents: readonly string[]
  /** Number of requested results, at most the number of documents. */
  readonly topN: number
  /** Maximum tokens per document. The vendor truncates longer documents. */
  readonly maxTokensPerDocument?: number
  /** Unknown fields. */
  readonly extra?: JsonObject
}

/** The relevance of one document. */
export interface DocumentScore {
  /** Index of the document in the request. */
  readonly index: number
  /** Relevance from 0 to 1; higher is better. */
  readonly score: number
}

export interface RerankResult {
  /** The ranking, with the best document first, and at most the requested number of documents. */
  readonly ranking: readonly DocumentScore[]
  /** Whether the vendor's scores were unbounded and had to be mapped to 0 to 1. */
  readonly isSquashed: boolean
  /** Input tokens as the vendor counted them; absent if the vendor does not report them. */
  readonly tokens?: number
  readonly searches?: number
}

/** Encodes and decodes rankings for one family of vendors. */
export type RerankFormat = OperationFormat<RerankRequest, RerankResult>
