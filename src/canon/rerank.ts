import type { JsonObject } from "./json.ts"
import type { OperationFormat } from "./operation.ts"

/** Documents to be sorted by how well they answer a query. */
export interface RerankRequest {
  readonly model: string
  readonly query: string
  /** The texts to rank. */
  readonly documents: readonly string[]
  /** How many of the best are requested; never more than there are documents. */
  readonly topN: number
  /** Longer documents are cut by the vendor. Tokens. */
  readonly maxTokensPerDocument?: number
  /** Fields without a name here. */
  readonly extra?: JsonObject
}

/** How well one document answers. */
export interface DocumentScore {
  /** The document's place in the request. */
  readonly index: number
  /** 0 to 1; the higher the better. */
  readonly score: number
}

/** The order that a vendor found. */
export interface RerankResult {
  /** The best first, no more than were requested. */
  readonly ranking: readonly DocumentScore[]
  /** The vendor's scores had no bounds and were squashed into 0 to 1. */
  readonly isSquashed: boolean
  /** As the vendor counted them; absent where it does not. */
  readonly tokens?: number
  readonly searches?: number
}

/** How one family of vendors reranks. */
export type RerankFormat = OperationFormat<RerankRequest, RerankResult>
