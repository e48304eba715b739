import type { ChatRequest } from "../canon/chat.ts"
import type { ClientDialect } from "../canon/dialect.ts"
import { NO_USAGE } from "../canon/usage.ts"
import type { Model } from "../catalog/model.ts"
import { type Demand, survey } from "./billable/survey.ts"
import type { Bill } from "./billing.ts"
import { estimateInput, textOf } from "./bounds.ts"
import type { Answer, Call, Caller, ChatCall } from "./call.ts"
import {
  correctRate,
  estimatedTokens,
  type Exchange,
  Leash,
  type RelayServices,
} from "./exchange.ts"
import { answerStreamed } from "./stream-answer.ts"
import { answerWhole } from "./whole-answer.ts"

/** A request that only its money is still missing from. */
type Order = Omit<Exchange, "bill" | "seal" | "leash"> & {
  readonly caller: Caller
  /** What the pulse calls it. */
  readonly work: number
}

/** The one pipeline: decode, limit, hold, route, attempt, meter, settle. */
export class Relay {
  readonly #services: RelayServices

  constructor(services: RelayServices) {
    this.#services = services
  }

  /**
   * Serves one chat request.
   * @param caller who may leave before the answer is over.
   * @throws GatewayError for everything that fails before the answer begins, at once or by the promise;
   * then nothing is held.
   */
  chat(dialect: ClientDialect, call: ChatCall, caller: Caller): Promise<Answer> {
    const { limiter, watch } = this.#services
    const surroundings = this.#services.surroundings()
    const { key } = call
    const work = watch.pulse.enter(call.id, call.endpoint, call.body["model"])
    const request = dialect.decodeRequest(call.body)
    const model = surroundings.catalog.require(request.model, "chat", key.allows)
    const demand = survey({
      call,
      dialect,
      request,
      model,
      catalog: surroundings.catalog,
      endpoints: surroundings.endpoints,
      passes: surroundings.passesUnpriced,
    })
    const headers = limiter.check(key.id, {
      requestsPerMinute: key.requestsPerMinute,
      tokensPerMinute: key.tokensPerMinute,
      tokens: estimatedTokens(call),
    })
    const order = { call, dialect, request, surroundings, headers, caller, work }
    for (const { deployment, unpriced } of demand?.terms.values() ?? []) {
      if (unpriced.length > 0)
        this.#services.alarms.unpricedPassed(call.id, deployment.id, unpriced)
    }
    const held = this.#hold(call, request, demand ?? model)
    return held instanceof Promise
      ? held.then((bill) => this.#answer(order, bill))
      : this.#answer(order, held)
  }

  #answer(order: Order, bill: Bill): Promise<Answer> {
    const { call, dialect, request, surroundings, headers, caller, work } = order
    const { seal, watch } = this.#services
    if (bill.clampedTo !== undefined) headers["x-tollgate-max-tokens"] = String(bill.clampedTo)
    const leash = new Leash(caller, watch, work)
    const exchange = { call, dialect, request, bill, seal, surroundings, headers, leash }
    return request.stream
      ? answerStreamed(this.#services, exchange)
      : answerWhole(this.#services, exchange)
  }

  /**
   * The input tokens of a request, as well as they can be told without asking its vendor. Costs nothing.
   * @throws GatewayError
   */
  async countTokens(request: ChatRequest, call: Pick<Call, "key" | "bodyBytes">): Promise<number> {
    const { limiter, counter } = this.#services
    const { key, bodyBytes } = call
    const model = this.#services.surroundings().catalog.require(request.model, "chat", key.allows)
    limiter.check(key.id, { requestsPerMinute: key.requestsPerMinute, tokens: 0 })
    const counted = await counter.count(textOf(request))
    return estimateInput({ request, bodyBytes, model, counted })
  }

  /** Sets the worst case aside. Without money the request has used no tokens of its key's rate either. */
  #hold(call: Call, request: ChatRequest, asked: Model | Demand): Bill | Promise<Bill> {
    const { billing, limiter } = this.#services
    const refuse = (error: unknown): never => {
      correctRate(limiter, call, NO_USAGE)
      throw error
    }
    try {
      const admitted = billing.admit(call, request, asked)
      return admitted instanceof Promise ? admitted.catch(refuse) : admitted
    } catch (error) {
      return refuse(error)
    }
  }
}
