import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import type { DocumentScore } from "../../canon/rerank.ts"
import { totalInput, type Usage } from "../../canon/usage.ts"
import type { RerankOptions } from "./request.ts"

/**
 * The default form of documents in a response. `supplied`: as the caller sent them. `objects`: objects with a `text`,
 * the only form that Cohere's clients can read.
 */
export type DocumentForm = "supplied" | "objects"

/** One ranked document, a member of `results`. */
export interface RankedDocument extends JsonObject {
  readonly index: number
  readonly relevance_score: number
  readonly document?: JsonValue
}

/**
 * Encodes the response to a rerank request. `return_documents` is not a parameter of the specification. Clients that
 * send it are Cohere's or Jina's, and receive objects or no documents.
 * @param form the form of the documents if the caller did not send `return_documents`.
 */
export function encodeRerankResult(
  { supplied, returnDocuments }: RerankOptions,
  ranking: readonly DocumentScore[],
  form: DocumentForm,
): { results: RankedDocument[] } {
  const areObjects = returnDocuments === true || form === "objects"
  return {
    results: ranking.map(({ index, score }) => {
      const result = { index, relevance_score: score }
      const document = supplied[index]
      if (returnDocuments === false || document === undefined) return result
      return { ...result, document: areObjects ? objectOf(document) : document }
    }),
  }
}

function objectOf(document: JsonValue): JsonValue {
  return isJsonObject(document) ? document : { text: document }
}

/**
 * Returns the members of Cohere's response other than the results. Some of Cohere's clients require them.
 * @param version the version of Cohere's API, from the URL of the request.
 */
export function cohereMeta(version: "1" | "2", usage: Usage): JsonObject {
  const { searches } = usage
  const units = searches > 0 ? { search_units: searches } : { input_tokens: totalInput(usage) }
  return { api_version: { version }, billed_units: units }
}
