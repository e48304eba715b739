import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import type { Handler, WireFormat } from "../format.ts"
import { arrayOf, type JsonObject, objectOf, stringOf } from "../json.ts"
import {
  answerJson,
  type Answered,
  type JsonOperation,
  type Manner,
  reportedCount,
  unknownField,
} from "../json-operation.ts"
import { COHERE, DETAIL, OPENAI } from "../manners.ts"
import { countTokens } from "../tokens.ts"
import { bestOf, logitsOf, type Scored, scoresOf } from "./scores.ts"

const DOCUMENTS_OF_SEARCH = 100

/** The body of a request with the computed scores. */
interface Reranked {
  readonly body: JsonObject
  readonly documents: readonly string[]
  readonly scores: readonly Scored[]
  /** Number of tokens that the model reads. The query is read once for each document. */
  readonly tokens: number
  readonly fault: Fault | undefined
}

/** The format of one vendor (docs/contribute/wire/rerank.md#f1). */
interface Form {
  readonly manner: Manner
  readonly fields: readonly string[]
  readonly write: (reranked: Reranked) => object
}

const COHERE_2: Form = {
  manner: COHERE,
  fields: [
    "model",
    "query",
    "documents",
    "top_n",
    "max_tokens_per_doc",
    "max_chunks_per_doc",
    "priority",
  ],
  write: (reranked) => cohereResponse(reranked, "2"),
}

const COHERE_1: Form = {
  manner: COHERE,
  fields: [
    ..."model query documents top_n return_documents rank_fields max_chunks_per_doc".split(" "),
    "max_tokens_per_doc",
  ],
  write: (reranked) => cohereResponse(reranked, "1"),
}

const VOYAGE: Form = {
  manner: DETAIL,
  fields: ["model", "query", "documents", "top_k", "return_documents", "truncation"],
  write(reranked) {
    const { body, documents, tokens, fault } = reranked
    const reported = reportedCount(tokens, fault)
    return {
      object: "list",
      data: bestOf(reranked.scores, limitOf(body.top_k)).map((scored) =>
        body.return_documents === true
          ? { ...scored, document: documents[scored.index] }
          : { ...scored },
      ),
      model: stringOf(body.model),
      ...(reported === undefined ? {} : { usage: { total_tokens: reported } }),
    }
  },
}

const JINA: Form = {
  manner: DETAIL,
  fields: ["model", "query", "documents", "top_n", "return_documents"],
  write(reranked) {
    const { body, tokens, fault } = reranked
    const reported = reportedCount(tokens, fault)
    return {
      model: stringOf(body.model),
      object: "list",
      ...(reported === undefined ? {} : { usage: { total_tokens: reported } }),
      results: withDocuments(reranked, body.return_documents !== false),
    }
  },
}

const TOGETHER: Form = {
  manner: OPENAI,
  fields: ["model", "query", "documents", "top_n", "return_documents", "rank_fields"],
  write(reranked) {
    const { body, tokens, fault } = reranked
    const reported = reportedCount(tokens, fault)
    return {
      object: "rerank",
      id: crypto.randomUUID(),
      model: stringOf(body.model),
      results: withDocuments(reranked, body.return_documents === true),
      ...(reported === undefined
        ? {}
        : { usage: { prompt_tokens: reported, completion_tokens: 0, total_tokens: reported } }),
    }
  },
}

/**
 * The format of servers that return the raw output of their model: logits for all documents, in their original order.
 */
const LOGITS: Form = {
  ...TOGETHER,
  manner: OPENAI,
  write: ({ scores, tokens }) => ({
    results: logitsOf(scores),
    usage: { total_tokens: tokens },
  }),
}

/** Formats by the name of the model. All other models, including models of the simulator, use Jina's format. */
const FORMS: readonly (readonly [RegExp, Form])[] = [
  [/^rerank-(2|1|lite)/, VOYAGE],
  [/^rerank-(v\d|english|multilingual)/, COHERE_1],
  [/^rerank-logits$/, LOGITS],
  [/^(Salesforce|mixedbread-ai)\//, TOGETHER],
]

/** Simulates reranking in the format of each vendor. */
export const rerank: WireFormat = {
  name: "rerank",
  match(method, path): Handler | undefined {
    if (method !== "POST") return undefined
    if (path === "/v2/rerank") return (exchange) => answerAs(exchange, () => COHERE_2)
    if (path !== "/v1/rerank") return undefined
    return (exchange) =>
      answerAs(exchange, (model) => FORMS.find(([names]) => names.test(model))?.[1] ?? JINA)
  },
}

function answerAs(exchange: Exchange, formOf: (model: string) => Form): Promise<Response> {
  return answerJson(exchange, (body): JsonOperation => {
    const form = formOf(stringOf(body.model))
    return { manner: form.manner, respond: (asked, fault) => respond(asked, form, fault) }
  })
}

function respond(body: JsonObject, form: Form, fault: Fault | undefined): Answered {
  const unknown = unknownField(body, form.fields)
  if (unknown !== undefined) return { rejected: `Unknown parameter: '${unknown}'.` }
  const query = stringOf(body.query)
  const documents = arrayOf(body.documents).map((document) =>
    typeof document === "string" ? document : stringOf(objectOf(document).text),
  )
  if (query === "" || documents.length === 0) {
    return { rejected: "invalid request: query and documents must not be empty" }
  }
  const tokens = documents.reduce(
    (sum, document) => sum + countTokens(document),
    documents.length * countTokens(query),
  )
  return {
    json: form.write({ body, documents, scores: scoresOf(query, documents), tokens, fault }),
  }
}

function cohereResponse(reranked: Reranked, version: string): object {
  const { body, documents, fault } = reranked
  const searches = reportedCount(Math.ceil(documents.length / DOCUMENTS_OF_SEARCH), fault)
  return {
    id: crypto.randomUUID(),
    results: withDocuments(reranked, version === "1" && body.return_documents === true),
    meta: {
      api_version: { version },
      ...(searches === undefined ? {} : { billed_units: { search_units: searches } }),
    },
  }
}

function withDocuments({ body, documents, scores }: Reranked, areWanted: boolean): object[] {
  return bestOf(scores, limitOf(body.top_n)).map((scored) =>
    areWanted ? { ...scored, document: { text: documents[scored.index] } } : { ...scored },
  )
}

function limitOf(limit: unknown): number {
  return typeof limit === "number" ? limit : Number.POSITIVE_INFINITY
}
