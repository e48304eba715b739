import type { ChatRequest } from "../../canon/chat.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import { type MaybePromise, whenFailed, whenReady } from "../../canon/maybe-promise.ts"
import { NO_USAGE } from "../../canon/usage.ts"
import { findState, type StateReference } from "../../canon/vendor-state.ts"
import type { Model } from "../../catalog/model.ts"
import type { RateLimiter } from "../../limits/rate-limiter.ts"
import { type Demand, survey } from "../billable/survey.ts"
import type { PendingCharge } from "../billing/pending-charge.ts"
import { estimateInput, textOf } from "../billing/bounds.ts"
import type { Answer, Call, Caller, ChatCall } from "../pipeline/call.ts"
import { Cancellation } from "../pipeline/cancellation.ts"
import { RateUsage } from "../pipeline/rate-usage.ts"
import { drainTimeOf, type RuntimeConfig } from "../pipeline/runtime-config.ts"
import { resolveState } from "../state/resolve-state.ts"
import type { ResolvedState } from "../state/vendor-state.ts"
import type { ChatInput } from "./chat-context.ts"
import type { Keeping } from "./conversations.ts"
import { type Estimate, estimateChat, type EstimateServices } from "./estimate.ts"
import { expectedTokens } from "./expected-tokens.ts"
import { heldRequest } from "./own-limits.ts"
import { maxCalls } from "./plan-call.ts"
import { answerStreamed, type StreamServices } from "./stream-answer.ts"
import { answerWhole, type WholeServices } from "./whole-answer.ts"

/** All that serves chats. */
export interface ChatServices extends StreamServices, WholeServices, EstimateServices {
  readonly config: () => RuntimeConfig
  readonly limiter: RateLimiter
  readonly alarms: ChatAlarms
}

/** What the operator hears of. */
interface ChatAlarms {
  /** A request was passed on with something that its vendor bills and that has no price here. */
  unpricedPassed(request: string, deployment: string, places: readonly string[]): void
  /** A request failed for a reason of our own. */
  requestFailed(request: string, error: unknown): void
}

/** A request whose money is held. */
interface AdmittedChat {
  readonly input: ChatInput
  readonly charge: PendingCharge
}

const NONE: readonly StateReference[] = []

/** Chat requests: decoded, limited and held here, then answered as a stream or whole. */
export class ChatRelay {
  readonly #services: ChatServices

  constructor(services: ChatServices) {
    this.#services = services
  }

  /**
   * Serves one chat request.
   * @param caller who may leave before the answer is over.
   * @throws GatewayError for everything that fails before the answer begins, at once or by the promise;
   * then nothing is held.
   */
  chat(dialect: ClientDialect, call: ChatCall, caller: Caller): Promise<Answer> {
    const work = this.#enter(call)
    return whenReady(this.#admit(dialect, call), (admitted) => this.#answer(admitted, caller, work))
  }

  /**
   * Says what a chat request would cost and where it would go. Holds nothing, and calls no one.
   * @param call an estimate.
   * @throws GatewayError for what the request would be refused with for another reason than its money.
   */
  estimate(dialect: ClientDialect, call: ChatCall): Promise<Estimate> {
    this.#enter(call)
    return whenReady(this.#admit(dialect, call), ({ input, charge }) =>
      estimateChat(this.#services, { ...input, charge }),
    )
  }

  /**
   * The input tokens of a request, as well as they can be told without asking its vendor. Costs nothing.
   * @throws GatewayError
   */
  async countTokens(request: ChatRequest, call: Pick<Call, "key" | "bodyBytes">): Promise<number> {
    const { limiter, counter } = this.#services
    const { key, bodyBytes } = call
    const model = this.#services.config().catalog.require(request.model, "chat", key)
    limiter.check(key.id, { requestsPerMinute: key.requestsPerMinute, tokens: 0 })
    const counted = await counter.count(textOf(request))
    return estimateInput({ request, bodyBytes, model, counted })
  }

  /** The event loop turns to a request. @returns what the pulse calls it. */
  #enter({ id, endpoint, body }: ChatCall): number {
    return this.#services.watch.pulse.enter(id, endpoint, body["model"])
  }

  /** Decodes a request, counts it in its key's rates, and sets its worst case aside. */
  #admit(dialect: ClientDialect, call: ChatCall): MaybePromise<AdmittedChat> {
    const config = this.#services.config()
    const request = dialect.decodeRequest(call.body)
    const model = config.catalog.require(request.model, "chat", call.key)
    const references = dialect.requestState ? findState(dialect.requestState, call.body) : NONE
    const rate = new RateUsage(this.#services.limiter, call)
    const input = { call, dialect, request, config, rate }
    if (references.length > 0) {
      rate.count(expectedTokens(call))
      return this.#admitState(input, model, references)
    }
    const demand = this.#survey(input, model)
    rate.count(expectedTokens(call))
    return this.#hold(input, demand ?? model)
  }

  /**
   * The same where the request names what a vendor keeps: whose that is has to be looked up first. It leaves fewer
   * deployments, which are surveyed when they are known.
   */
  async #admitState(
    input: ChatInput,
    model: Model,
    references: readonly StateReference[],
  ): Promise<AdmittedChat> {
    try {
      const { input: whole, state } = await resolveState(this.#services, input, model, references)
      const narrowed = state?.model ?? model
      return await this.#hold(whole, this.#survey(whole, narrowed) ?? narrowed, state)
    } catch (error) {
      return refuse(input.rate, error)
    }
  }

  /** Looks for what the request is billed beside its tokens. */
  #survey({ call, dialect, request, config }: ChatInput, model: Model): Demand | undefined {
    const { catalog, clients, passesUnpriced: passes } = config
    return survey({ call, dialect, request, model, catalog, clients, passes })
  }

  /** Sets the worst case aside. */
  #hold(
    input: ChatInput,
    asked: Model | Demand,
    state?: ResolvedState,
  ): MaybePromise<AdmittedChat> {
    const { call, request, config, rate } = input
    const { clients } = config
    if ("terms" in asked && !call.isEstimate) this.#reportUnpriced(call, asked)
    const held = whenFailed(
      () => {
        const model = "terms" in asked ? asked.model : asked
        return this.#services.billing.admit({
          call,
          request: heldRequest(request, model, clients),
          asked,
          state,
          calls: maxCalls(request, model, clients),
          clients,
        })
      },
      (error) => refuse(rate, error),
    )
    return whenReady(held, (charge): MaybePromise<AdmittedChat> => ({ input, charge }))
  }

  #reportUnpriced(call: Call, { terms }: Demand): void {
    for (const { deployment, unpriced } of terms.values()) {
      if (unpriced.length > 0)
        this.#services.alarms.unpricedPassed(call.id, deployment.id, unpriced)
    }
  }

  #answer({ input, charge }: AdmittedChat, caller: Caller, work: number): Promise<Answer> {
    const { call, dialect, config, rate } = input
    const { headers } = rate
    const keeping = this.#keeping(input)
    const request = keeping ? { ...input.request, isKept: true } : input.request
    if (charge.clampedTo !== undefined) headers["x-tollgate-max-tokens"] = String(charge.clampedTo)
    const drainTime = drainTimeOf(config, charge.model)
    const cancellation = new Cancellation(caller, this.#services.watch, work, drainTime)
    const context = { call, dialect, request, config, charge, rate, headers, cancellation, keeping }
    return request.stream
      ? answerStreamed(this.#services, context)
      : answerWhole(this.#services, context)
  }

  /** How its answer is kept, if it is to be. */
  #keeping({ call, dialect }: ChatInput): Keeping | undefined {
    const form = dialect.isOneWay ? undefined : dialect.conversation
    if (!form?.wantsKept(call.body) || !this.#services.conversations.isOn) return undefined
    return { call, form, body: call.body }
  }
}

/** A request that is not even asked has used no tokens of its key's rate either. */
function refuse(rate: RateUsage, error: unknown): never {
  rate.correct(NO_USAGE)
  throw error
}
