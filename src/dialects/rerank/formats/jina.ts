import { type JsonObject, objectAt } from "../../../canon/json.ts"
import { jsonCall, jsonOf, readForm } from "../../../canon/operation-response.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import type { RerankFormat, RerankResult } from "../../../canon/rerank.ts"
import { ranked, scoresOf } from "./ranking.ts"
import { countOf } from "../../shared/usage.ts"

/** Differences between a vendor's API and Jina's. */
export interface JinaRerankQuirks {
  /** The field for the number of results. */
  readonly limitField: "top_n" | "top_k"
  /** The member of the response that contains the results. */
  readonly resultsField: "results" | "data"
}

const JINA_QUIRKS: JinaRerankQuirks = { limitField: "top_n", resultsField: "results" }

/**
 * Creates the format of Jina's `POST /rerank`, which many servers share, and of Voyage's, which has two other field
 * names (docs/contribute/wire/rerank.md#f1). The response does not repeat the documents, because the gateway has them.
 */
export function jinaRerank(
  decodeError: RerankFormat["decodeError"],
  quirks: Partial<JinaRerankQuirks> = {},
): RerankFormat {
  const { limitField, resultsField } = { ...JINA_QUIRKS, ...quirks }
  return {
    encode(request, model) {
      const { query, documents, topN, maxTokensPerDocument, extra } = request
      const body: JsonObject = {
        ...extra,
        model,
        query,
        documents: [...documents],
        [limitField]: topN,
        return_documents: false,
      }
      return {
        calls: [jsonCall("/rerank", body)],
        losses:
          maxTokensPerDocument === undefined
            ? []
            : [{ name: "max_tokens_per_doc", effect: "dropped" }],
      }
    },
    decode(responses, request) {
      const [body = {}] = responses.map(jsonOf)
      const scores = readForm(request.extra, () => scoresOf(body[resultsField], request))
      return { ...ranked(scores, request), ...usageOf(body) }
    },
    usageIn(members) {
      const { tokens = 0, searches = 0 } = usageOf(members)
      return { ...NO_USAGE, inputFresh: tokens, searches }
    },
    decodeError,
  }
}

/**
 * Returns the tokens, which Jina, Voyage and Together report, or the searches, which OpenRouter reports if its provider
 * counts them.
 */
function usageOf(body: JsonObject): Pick<RerankResult, "tokens" | "searches"> {
  const usage = objectAt(body, "usage") ?? {}
  const tokens = countOf(usage.total_tokens ?? usage.prompt_tokens)
  const searches = countOf(usage.search_units)
  return {
    ...(tokens > 0 ? { tokens } : {}),
    ...(searches > 0 ? { searches } : {}),
  }
}
