import type { ChatRequest } from "../../canon/chat.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import { NO_USAGE } from "../../canon/usage.ts"
import { findState, type StateReference } from "../../canon/vendor-state.ts"
import type { Model } from "../../catalog/model.ts"
import { type Demand, survey } from "../billable/survey.ts"
import type { Bill } from "../billing/bill.ts"
import { estimateInput, textOf } from "../billing/bounds.ts"
import { type Estimate, estimateChat } from "./estimate.ts"
import type { Answer, Call, Caller, ChatCall } from "../pipeline/call.ts"
import {
  correctRate,
  drainTimeOf,
  estimatedTokens,
  type Exchange,
  Leash,
  type RelayServices,
} from "../pipeline/exchange.ts"
import { heldRequest } from "./own-limits.ts"
import { type Asked, resolveState } from "../state/resolve-state.ts"
import { answerStreamed } from "./stream-answer.ts"
import type { Keeping } from "./conversations.ts"
import { mostCalls } from "./plan-call.ts"
import type { ResolvedState } from "../state/vendor-state.ts"
import { answerWhole } from "./whole-answer.ts"

/** A request that only its money is still missing from. */
type Order = Omit<Exchange, "bill" | "seal" | "leash"> & {
  readonly caller: Caller
  /** What the pulse calls it. */
  readonly work: number
}

/** What becomes of a request once its money is set aside. */
type Serve<T> = (order: Order, bill: Bill) => Promise<T>

const NONE: readonly StateReference[] = []

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
    return this.#admitted(dialect, call, caller, this.#answer)
  }

  /**
   * Says what a chat request would cost and where it would go. Holds nothing, and calls nobody.
   * @param call an estimate.
   * @throws GatewayError for what the request would be refused with for another reason than its money.
   */
  estimate(dialect: ClientDialect, call: ChatCall, caller: Caller): Promise<Estimate> {
    return this.#admitted(dialect, call, caller, (order, bill) =>
      estimateChat(this.#services, { ...order, bill, seal: this.#services.seal }),
    )
  }

  #admitted<T>(
    dialect: ClientDialect,
    call: ChatCall,
    caller: Caller,
    serve: Serve<T>,
  ): Promise<T> {
    const { limiter, watch } = this.#services
    const surroundings = this.#services.surroundings()
    const { key } = call
    const work = watch.pulse.enter(call.id, call.endpoint, call.body["model"])
    const request = dialect.decodeRequest(call.body)
    const model = surroundings.catalog.require(request.model, "chat", key)
    const references = dialect.requestState ? findState(dialect.requestState, call.body) : NONE
    const asked = { call, dialect, request, surroundings }
    // What is kept leaves fewer deployments, and is surveyed when those are known.
    const demand = references.length > 0 ? undefined : this.#survey(asked, model)
    const headers = limiter.check(key.id, {
      requestsPerMinute: key.requestsPerMinute,
      tokensPerMinute: key.tokensPerMinute,
      tokens: estimatedTokens(call),
    })
    const order = { call, dialect, request, surroundings, headers, caller, work }
    if (references.length > 0) return this.#fromState(order, model, references, serve)
    const held = this.#hold(order, demand ?? model)
    return held instanceof Promise ? held.then((bill) => serve(order, bill)) : serve(order, held)
  }

  /** The same where the request names what a vendor keeps: whose that is has to be looked up first. */
  async #fromState<T>(
    order: Order,
    model: Model,
    references: readonly StateReference[],
    serve: Serve<T>,
  ): Promise<T> {
    let whole = order
    let state: ResolvedState | undefined
    let asked: Model | Demand
    try {
      const resolved = await resolveState(this.#services, order, model, references)
      whole = { ...order, ...resolved.asked }
      state = resolved.state
      const narrowed = state?.model ?? model
      asked = this.#survey(whole, narrowed) ?? narrowed
    } catch (error) {
      return this.#refuse(whole.call, error)
    }
    return serve(whole, await this.#hold(whole, asked, state))
  }

  readonly #answer: Serve<Answer> = (order, bill) => {
    const { call, dialect, surroundings, headers, caller, work } = order
    const { seal, watch } = this.#services
    const keeping = this.#keeping(order)
    const request = keeping ? { ...order.request, isKept: true } : order.request
    if (bill.clampedTo !== undefined) headers["x-tollgate-max-tokens"] = String(bill.clampedTo)
    const leash = new Leash(caller, watch, work, drainTimeOf(surroundings, bill.model))
    const exchange = { call, dialect, request, bill, seal, surroundings, headers, leash, keeping }
    return request.stream
      ? answerStreamed(this.#services, exchange)
      : answerWhole(this.#services, exchange)
  }

  /** How its answer is kept, if it is to be. */
  #keeping({ call, dialect }: Order): Keeping | undefined {
    const form = dialect.isOneWay ? undefined : dialect.conversation
    if (!form?.wantsKept(call.body) || !this.#services.conversations.isOn) return undefined
    return { call, form, body: call.body }
  }

  /**
   * The input tokens of a request, as well as they can be told without asking its vendor. Costs nothing.
   * @throws GatewayError
   */
  async countTokens(request: ChatRequest, call: Pick<Call, "key" | "bodyBytes">): Promise<number> {
    const { limiter, counter } = this.#services
    const { key, bodyBytes } = call
    const model = this.#services.surroundings().catalog.require(request.model, "chat", key)
    limiter.check(key.id, { requestsPerMinute: key.requestsPerMinute, tokens: 0 })
    const counted = await counter.count(textOf(request))
    return estimateInput({ request, bodyBytes, model, counted })
  }

  /** Looks for what the request is billed beside its tokens. */
  #survey({ call, dialect, request, surroundings }: Asked, model: Model): Demand | undefined {
    const { catalog, endpoints, passesUnpriced: passes } = surroundings
    return survey({ call, dialect, request, model, catalog, endpoints, passes })
  }

  #tellUnpriced(call: Call, { terms }: Demand): void {
    for (const { deployment, unpriced } of terms.values()) {
      if (unpriced.length > 0)
        this.#services.alarms.unpricedPassed(call.id, deployment.id, unpriced)
    }
  }

  /** Sets the worst case aside. */
  #hold(
    { call, request, surroundings }: Asked,
    asked: Model | Demand,
    state?: ResolvedState,
  ): Bill | Promise<Bill> {
    if ("terms" in asked && !call.isEstimate) this.#tellUnpriced(call, asked)
    try {
      const model = "terms" in asked ? asked.model : asked
      const calls = mostCalls(request, model, surroundings.endpoints)
      const held = heldRequest(request, model, surroundings.endpoints)
      const order = { call, request: held, asked, state, calls, endpoints: surroundings.endpoints }
      const admitted = this.#services.billing.admit(order)
      return admitted instanceof Promise
        ? admitted.catch((error: unknown) => this.#refuse(call, error))
        : admitted
    } catch (error) {
      return this.#refuse(call, error)
    }
  }

  /** A request that is not even asked has used no tokens of its key's rate either. */
  #refuse(call: Call, error: unknown): never {
    correctRate(this.#services.limiter, call, NO_USAGE)
    throw error
  }
}
