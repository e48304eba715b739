import type { Loss } from "../../../canon/extra.ts"
import type { EmbeddingPurpose, EmbeddingRequest } from "../../../canon/embedding.ts"
import type {
  DocumentScore,
  RerankFormat,
  RerankRequest,
  RerankResult,
} from "../../../canon/rerank.ts"
import { NO_USAGE, totalInput, type Usage } from "../../../canon/usage.ts"
import type { Model } from "../../../catalog/model.ts"
import { cosineOf } from "../../../canon/vectors.ts"
import { ranked } from "../../../dialects/rerank/formats/ranking.ts"
import type { CountedUsage } from "../../billing/priced-usage.ts"
import { atNoExtraPrice } from "../../priced-features/passed-fields.ts"
import type { Call, Caller } from "../../request/call.ts"
import { countTexts } from "../../tokens/token-counter.ts"
import { callsAt, completedUsage, embedAt, retryAsNumbers } from "../embedding/embeddings.ts"
import type { CountedOperationServices } from "../operations.ts"
import { askedModel, preferredModel } from "../../routing-preferences/preferred-model.ts"
import type { OperationPlan } from "../operation-plan.ts"
import { mostCalls } from "../vendor-format.ts"
import type { Candidate } from "../../upstream/attempt.ts"
import type { OpenOperation, Outcome } from "../open-operation.ts"
import type { OperationCandidate } from "../operation-candidate.ts"
import type { Rates } from "../../../ledger/price.ts"
import { maxTextTokens } from "../../../canon/text-bytes.ts"

/** Ranked documents and the usage. */
export interface Reranked extends CountedUsage {
  readonly ranking: readonly DocumentScore[]
}

/** Scores from a vendor, or from the gateway's own comparison. */
interface Scored {
  readonly result: RerankResult
  readonly losses: readonly Loss[]
}

const EMULATED: Loss = { name: "rerank", effect: "emulated" }
const SQUASHED: Loss = { name: "relevance_score", effect: "approximated" }

/**
 * Serves parsed requests to `POST /v1/rerank`, and charges for the ranking. If the model is not a reranker, it compares
 * the embeddings of the query and the documents.
 */
export class Reranking {
  readonly #services: CountedOperationServices

  constructor(services: CountedOperationServices) {
    this.#services = services
  }

  /**
   * Ranks the documents of a request.
   * @throws GatewayError, in which case nothing is held.
   */
  rerank(call: Call, request: RerankRequest, caller: Caller): Promise<OpenOperation<Reranked>> {
    const plan = this.plan(call, request)
    const attempt = (candidate: OperationCandidate): Promise<Outcome<Reranked>> =>
      this.#attempt(candidate, call, request, plan.model)
    const queries = plan.model.kind === "rerank" ? request.documents.length : 1
    const count = (): Promise<number> => this.#count(call, request, queries)
    const unread = async (candidate: OperationCandidate, share: number): Promise<Usage> => {
      const rates = candidate.deployment.price?.rates ?? {}
      const { inputFresh: tokens = 0, searches = 0 } = candidate.unreadUsage ?? {}
      const { usage } = await rerankUsage(request, { tokens, searches }, rates, count)
      return tokens > 0 ? usage : { ...usage, inputFresh: Math.ceil(usage.inputFresh * share) }
    }
    const input = { ...plan, attempt, unread, mayHedge: true }
    if (plan.model.kind === "rerank") return this.#services.operations.run(input, caller)
    const completed = (candidate: OperationCandidate): Promise<CountedUsage> =>
      completedUsage(candidate, embeddingOf(request, [request.query, ...request.documents]), count)
    return this.#services.operations.run({ ...input, completed }, caller)
  }

  /**
   * Returns the plan of a request, for an estimate or its hold.
   * @throws GatewayError if the request cannot be served.
   */
  plan(call: Call, request: RerankRequest): OperationPlan {
    const model = this.#modelOf(call, request)
    return {
      call,
      model,
      worst: worstRerankUsage(request, call.bodyBytes),
      ...(model.kind !== "rerank" && { calls: this.#callsOf(request, model) }),
      min: NO_USAGE,
      lossesAt(candidate) {
        const format = formatOf(candidate, model)
        return format
          ? format.encode(request, candidate.deployment.upstreamModel).losses
          : emulationLosses(request)
      },
    }
  }

  /** Returns the maximum number of calls that embed the query and the documents. */
  #callsOf(request: RerankRequest, model: Model): number {
    const { clients } = this.#services.operations.config
    const documents = { request: embeddingOf(request, request.documents) }
    return mostCalls(model, clients, (candidate) => 1 + callsAt(candidate, documents))
  }

  /** Returns a reranker, or a model whose embeddings are compared. */
  #modelOf(call: Call, request: RerankRequest): Model {
    const { config } = this.#services.operations
    const { catalog } = config
    const kind =
      catalog.resolve(request.model, call.key)?.kind === "embedding" ? "embedding" : "rerank"
    const asked = askedModel(config, request.model, kind, call)
    const worst = worstRerankUsage(request, call.bodyBytes)
    const model = preferredModel(asked, { call, config, inputTokens: () => totalInput(worst) })
    return atNoExtraPrice(model, request.extra, config)
  }

  async #attempt(
    candidate: OperationCandidate,
    call: Call,
    request: RerankRequest,
    model: Model,
  ): Promise<Outcome<Reranked>> {
    const format = formatOf(candidate, model)
    const { result, losses } = format
      ? await validate(candidate, format, request)
      : await this.#compare(candidate, request)
    if (format && (result.tokens ?? 0) + (result.searches ?? 0) === 0) {
      this.#services.alarms.usageMissing(call.id, candidate.deployment.id)
    }
    const rates = candidate.deployment.price?.rates ?? {}
    // A reranker reads the query again for each document.
    const queries = format ? request.documents.length : 1
    const counted = await rerankUsage(request, result, rates, () =>
      this.#count(call, request, queries),
    )
    return { value: { ranking: result.ranking, ...counted }, losses }
  }

  async #count(call: Call, request: RerankRequest, queries: number): Promise<number> {
    const { query, documents } = request
    const counter = this.#services.counter.of(call.key.account)
    const [ofQuery, ofDocuments] = await Promise.all([
      countTexts(counter, [query]),
      countTexts(counter, documents),
    ])
    return ofQuery * queries + ofDocuments
  }

  /** Scores each document by the cosine similarity of its embedding and the query's, scaled to 0 to 1. */
  async #compare(candidate: OperationCandidate, request: RerankRequest): Promise<Scored> {
    const { query, documents } = request
    const parts = [
      { request: embeddingOf(request, [query], "query") },
      { request: embeddingOf(request, documents, "document") },
    ]
    const [querying, answering] = await retryAsNumbers(candidate, "base64", (encoding) =>
      candidate.together(parts.map((part) => () => embedAt(candidate, part, encoding))),
    )
    const [direction = []] = querying?.vectors ?? []
    const scores = (answering?.vectors ?? []).map((vector, index) => ({
      index,
      score: (1 + cosineOf(direction, vector)) / 2,
    }))
    const ofQuery = querying?.tokens ?? 0
    const ofDocuments = answering?.tokens ?? 0
    // If the usage of only one of the two inputs is known, the other input would be free.
    const isCounted = ofQuery > 0 && ofDocuments > 0
    return {
      result: {
        ...ranked(scores, request),
        ...(isCounted ? { tokens: ofQuery + ofDocuments } : {}),
      },
      losses: emulationLosses(request),
    }
  }
}

/** Returns the vendor's rerank format; undefined if embeddings are compared. */
function formatOf({ client }: Candidate, { kind }: Model): RerankFormat | undefined {
  return kind === "rerank" ? client.vendor.operations?.rerank : undefined
}

function emulationLosses({ extra = {}, maxTokensPerDocument }: RerankRequest): Loss[] {
  const lost = Object.keys(extra)
  if (maxTokensPerDocument !== undefined) lost.push("max_tokens_per_doc")
  return [EMULATED, ...lost.map((name) => ({ name, effect: "dropped" as const }))]
}

async function validate(
  candidate: OperationCandidate,
  format: RerankFormat,
  request: RerankRequest,
): Promise<Scored> {
  const { calls, losses } = format.encode(request, candidate.deployment.upstreamModel)
  const result = await format.decode(await candidate.callAll(format, calls), request)
  return { result, losses: result.isSquashed ? [...losses, SQUASHED] : losses }
}

/** Builds the embedding request. A document may be empty, but vendors reject empty texts. */
function embeddingOf(
  { model }: RerankRequest,
  texts: readonly string[],
  purpose: EmbeddingPurpose = "document",
): EmbeddingRequest {
  const filled = texts.map((text) => (text === "" ? " " : text))
  return { model, input: { type: "texts", texts: filled }, encoding: "base64", purpose }
}

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
function worstRerankUsage(request: RerankRequest, bodyBytes: number): Usage {
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
