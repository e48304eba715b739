import { isDefined, type JsonObject, objectAt } from "../../../canon/json.ts"
import { jsonCall, jsonOf } from "../../../canon/operation-response.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import type { RerankFormat, RerankResult } from "../../../canon/rerank.ts"
import { ranked, scoresOf } from "./ranking.ts"

/** The only field of callers that Cohere accepts and that the canon lacks. */
const PRIORITY = "priority"

/**
 * Creates the format of Cohere's `POST /v2/rerank`, which is billed by searches (docs/contribute/wire/rerank.md#f1).
 * @param decodeError reads the vendor's errors.
 */
export function cohereRerank(decodeError: RerankFormat["decodeError"]): RerankFormat {
  return {
    encode(request, model) {
      const { query, documents, topN, maxTokensPerDocument, extra = {} } = request
      const body: JsonObject = { model, query, documents: [...documents], top_n: topN }
      if (maxTokensPerDocument !== undefined) body["max_tokens_per_doc"] = maxTokensPerDocument
      if (isDefined(extra[PRIORITY])) body[PRIORITY] = extra[PRIORITY]
      const lost = Object.keys(extra).filter((name) => name !== PRIORITY)
      return {
        calls: [jsonCall("/v2/rerank", body)],
        losses: lost.map((name) => ({ name, effect: "dropped" as const })),
      }
    },
    decode(responses, request) {
      const [body = {}] = responses.map(jsonOf)
      const scores = scoresOf(body["results"], request)
      return { ...ranked(scores, request), ...searchesOf(body) }
    },
    usageIn: (members) => ({ ...NO_USAGE, ...searchesOf(members) }),
    decodeError,
  }
}

function searchesOf(body: JsonObject): Pick<RerankResult, "searches"> {
  const meta = objectAt(body, "meta")
  const units = meta === undefined ? undefined : objectAt(meta, "billed_units")
  const searches = quantityOf(units?.["search_units"])
  return searches === undefined ? {} : { searches }
}
