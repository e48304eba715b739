import type { CountedUsage } from "../../billing/priced-usage.ts"
import type { RerankRequest, RerankResult } from "../../../canon/rerank.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import type { Rates } from "../../../ledger/price.ts"
import { maxTextTokens } from "../../../canon/text-bytes.ts"

/**
 * Limits of one billed search: a query with at most this number of documents, each with a limited length (Cohere's
 * pricing).
 */
const DOCUMENTS_OF_SEARCH = 100
const TOKENS_OF_DOCUMENT = 500

/**
 * Returns the maximum usage of a request, for every way in which vendors count. Every byte counts as a token, and the
 * query is read again for each document.
 */
export function worstRerankUsage(request: RerankRequest, bodyBytes: number): Usage {
  const { query, documents } = request
  const queryTokens = maxTextTokens(query)
  let parts = 0
  let tokens = queryTokens
  for (const document of documents) {
    const documentTokens = maxTextTokens(document)
    tokens += documentTokens
    parts += Math.max(1, Math.ceil((queryTokens + documentTokens) / TOKENS_OF_DOCUMENT))
  }
  return {
    ...NO_USAGE,
    inputFresh: queryTokens * documents.length + Math.max(bodyBytes, tokens),
    searches: Math.ceil(parts / DOCUMENTS_OF_SEARCH),
  }
}

/**
 * Returns the units that the vendor counted. Priced units that the vendor did not count, or counted as zero, are
 * counted by the gateway. Vendors count searches or tokens, and the operator may have priced the other unit.
 * @param rates the rates of the deployment.
 * @param countTokens returns the gateway's own count, which takes a long time to compute.
 */
export async function rerankUsage(
  request: RerankRequest,
  result: Pick<RerankResult, "tokens" | "searches">,
  rates: Rates,
  countTokens: () => Promise<number>,
): Promise<CountedUsage> {
  const { documents } = request
  const isBySearch = rates.searches !== undefined
  const isByToken = rates.inputFresh !== undefined || !isBySearch
  const { searches: reported = 0, tokens = 0 } = result
  const lacksSearches = isBySearch && reported === 0
  const lacksTokens = isByToken && tokens === 0
  const searches = lacksSearches ? Math.ceil(documents.length / DOCUMENTS_OF_SEARCH) : reported
  const inputFresh = lacksTokens ? await countTokens() : tokens
  const usage = { ...NO_USAGE, inputFresh, searches }
  return { usage, estimated: lacksSearches || lacksTokens }
}
