import type { ChatRequest } from "../../canon/chat.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import type { Loss } from "../../canon/extra.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { isLongWork, ownTurn } from "../../canon/next-turn.ts"
import { NO_USAGE, totalInput } from "../../canon/usage.ts"
import { findState, type StateReference } from "../../canon/vendor-state.ts"
import type { Model } from "../../catalog/model.ts"
import type { Rates } from "../../limits/rates.ts"
import type { MediaInspector } from "../../media/media-inspector.ts"
import { findPricedFeatures, type PricedFeatures } from "../priced-features/find-priced-features.ts"
import { withoutTool } from "../priced-features/unpriced-tools.ts"
import type { ChatAdmission } from "../billing/pending-charge.ts"
import { boundByBytes, estimateInput, keptTokens, textOf } from "../billing/bounds.ts"
import type { EndpointResponse, Call, Caller, ChatCall } from "../request/call.ts"
import { expectedTokens, RateUsage } from "../pipeline/rate-usage.ts"
import type { RequestContext } from "../pipeline/request-context.ts"
import type { RuntimeConfig } from "../request/runtime-config.ts"
import { resolveState } from "./resolve-state.ts"
import { askedModel, preferredModel } from "../routing-preferences/preferred-model.ts"
import type { ResolvedState } from "../state/vendor-state.ts"
import type { ChatContext, ChatInput } from "./chat-context.ts"
import type { ResponseToStore } from "../state/conversations.ts"
import { estimateChat, type EstimateServices } from "./estimate-chat.ts"
import { type Estimate } from "../pipeline/estimate.ts"
import { heldRequest } from "../fitting/own-limits.ts"
import { maxCalls } from "./plan-call.ts"
import { answerStreamed, type StreamServices } from "./stream-response.ts"
import { answerWhole, type WholeServices } from "./whole-response.ts"

export interface ChatServices extends StreamServices, WholeServices, EstimateServices {
  readonly config: () => RuntimeConfig
  readonly limiter: Rates
  readonly inspector: MediaInspector
  readonly alarms: ChatAlarms
}

/** Events that are reported to the operator. */
interface ChatAlarms {
  /** Reports that a request was passed on with a feature that its vendor bills and that has no price in the gateway. */
  unpricedFeatureAllowed(request: string, deployment: string, places: readonly string[]): void
  /** Reports that a request failed with an internal error. */
  requestFailed(request: string, error: unknown): void
}

/** A decoded and counted request, with the data for its hold. */
interface PreparedChat {
  readonly input: ChatInput
  readonly admission: ChatAdmission
}

/** A decoded request, and the model that it requests. */
interface DecodedChat extends Pick<ChatInput, "call" | "config" | "dialect" | "request"> {
  readonly model: Model
}

/** A request that refers to state stored by a vendor. */
interface StatefulChat {
  readonly input: ChatInput
  readonly model: Model
  readonly references: readonly StateReference[]
  /** Resolves when the request has been counted in the rate limits of its key. */
  readonly counting: Promise<void> | undefined
}

/** A request, and its model with the priced features that the request uses. */
interface PricedChat {
  readonly input: ChatInput
  readonly priced: Model | PricedFeatures
}

const NONE: readonly StateReference[] = []

const UNPRICED_TOOLS: Loss = { name: "tools", effect: "dropped" }

/**
 * Serves chat requests. It decodes, limits and admits a request, and then responds with a stream or with a whole
 * response.
 */
export class ChatRelay {
  readonly #services: ChatServices

  constructor(services: ChatServices) {
    this.#services = services
  }

  /**
   * Serves one chat request.
   * @param caller may disconnect before the response has ended.
   * @throws GatewayError for every failure before the response starts. Nothing is then held.
   */
  async chat(dialect: ClientDialect, call: ChatCall, caller: Caller): Promise<EndpointResponse> {
    const work = this.#enter(call)
    const isLong = isLongWork(call.bodyBytes)
    if (isLong) await ownTurn()
    const preparing = this.#prepare(dialect, call)
    const { input, admission } = preparing instanceof Promise ? await preparing : preparing
    if (isLong) await ownTurn()
    const { config, rate } = input
    const arrival = { call: input.call, caller, config, rate, work }
    const admitting = this.#services.pipeline.admit(arrival, admission)
    const admitted = admitting instanceof Promise ? await admitting : admitting
    const context = this.#contextOf(input, admitted)
    return context.request.stream
      ? await answerStreamed(this.#services, context)
      : await answerWhole(this.#services, context)
  }

  /**
   * Estimates the cost and the route of a chat request, without a hold or an upstream call.
   * @param call a call that is marked as an estimate.
   * @throws GatewayError if the request would be rejected for a reason other than lack of credits.
   */
  async estimate(dialect: ClientDialect, call: ChatCall): Promise<Estimate> {
    this.#enter(call)
    const { input, admission } = await this.#prepare(dialect, call)
    const charge = await this.#services.billing.holds.admit(admission)
    return estimateChat(this.#services, { ...input, charge })
  }

  /**
   * Returns the input tokens of a request, as exactly as possible without an upstream call. It is free of charge.
   * @throws GatewayError for an invalid request.
   */
  async countTokens(request: ChatRequest, call: Pick<Call, "key" | "bodyBytes">): Promise<number> {
    const { limiter, counter, inspector } = this.#services
    const { key, bodyBytes } = call
    const model = this.#services.config().catalog.require(request.model, "chat", key)
    await limiter.check(key.id, { requestsPerMinute: key.requestsPerMinute, tokens: 0 })
    await inspector.measure(request, key.account)
    const counted = await counter.of(key.account).count(textOf(request))
    return totalInput(estimateInput({ request, bodyBytes, model, counted }))
  }

  /** Marks the request as current for the event-loop monitor. @returns its number in the monitor. */
  #enter({ id, endpoint, body }: ChatCall): number {
    return this.#services.watch.monitor.enter(id, endpoint, body["model"])
  }

  /** Decodes a request, finds its model and its priced features, and counts it in the rate limits of its key. */
  #prepare(dialect: ClientDialect, call: ChatCall): MaybePromise<PreparedChat> {
    const config = this.#services.config()
    const request = dialect.decodeRequest(call.body)
    const model = askedModel(config, request.model, "chat", call)
    const measuring = this.#services.inspector.measure(request, call.key.account)
    const turn = isLongWork(call.bodyBytes) ? ownTurn() : undefined
    const decoded = { dialect, call, config, request, model }
    if (measuring === undefined && turn === undefined) return this.#measured(decoded)
    return Promise.all([measuring, turn]).then(() => this.#measured(decoded))
  }

  /** Continues with a request whose media have been measured. */
  #measured({ dialect, call, config, request, model }: DecodedChat): MaybePromise<PreparedChat> {
    const references = dialect.requestState ? findState(dialect.requestState, call.body) : NONE
    const rate = new RateUsage(this.#services.limiter, call)
    const input = { call, dialect, request, config, rate }
    if (references.length > 0) {
      const counting = rate.count(expectedTokens(call, request, model))
      return this.#prepareState({ input, model, references, counting })
    }
    const preferred = call.preferences === undefined ? model : this.#preferred(input, model)
    const chat = this.#findFeatures(input, preferred)
    const counting = rate.count(expectedTokens(call, request, model))
    return counting
      ? counting.then(() => this.#prepared(chat.input, chat.priced))
      : this.#prepared(chat.input, chat.priced)
  }

  /**
   * Prepares a request that refers to state stored by a vendor. It first looks up the owner of the state. That leaves
   * fewer deployments, whose priced features are then determined.
   */
  async #prepareState({ input, model, references, counting }: StatefulChat): Promise<PreparedChat> {
    await counting
    try {
      const { input: whole, state } = await resolveState(this.#services, input, model, references)
      const narrowed = this.#preferred(whole, state?.model ?? model, state)
      const chat = this.#findFeatures(whole, narrowed)
      return this.#prepared(chat.input, chat.priced, state)
    } catch (error) {
      input.rate.correct(NO_USAGE)
      throw error
    }
  }

  /** Returns the model with the deployments that can be called and that match the caller's preferences. */
  #preferred({ call, request, config }: ChatInput, model: Model, state?: ResolvedState): Model {
    const isKept = state !== undefined && state.model !== undefined
    const inputTokens = (): number =>
      boundByBytes(request, call, model, keptTokens(state, model)).input
    return preferredModel(model, { call, config, inputTokens, isKept })
  }

  /**
   * Finds the features of a request that are billed in addition to tokens. Tools without a price at any deployment are
   * dropped if other tools remain.
   * @throws GatewayError `feature_not_priced`, `model_not_allowed`
   */
  #findFeatures(input: ChatInput, model: Model): PricedChat {
    const { call, dialect, request, config } = input
    const { catalog, clients, passesUnpriced: passes } = config
    try {
      const features = findPricedFeatures({
        call,
        dialect,
        request,
        model,
        catalog,
        clients,
        defaultModes: this.#services.billing.pricing.defaultModes,
        passes,
      })
      return { input, priced: features ?? model }
    } catch (rejection) {
      const body = call.isStrict ? undefined : withoutTool(call.body, rejection)
      if (body === undefined) throw rejection
      const rest = { ...input, call: { ...call, body }, request: dialect.decodeRequest(body) }
      const { ignored = [] } = model
      const isFirst = ignored.every(({ name }) => name !== "tools")
      const less = isFirst ? { ...model, ignored: [...ignored, UNPRICED_TOOLS] } : model
      return this.#findFeatures(rest, less)
    }
  }

  /**
   * Prepares a request that has been counted. If the preparation fails, the reserved tokens return to the rate limits.
   */
  #prepared(input: ChatInput, priced: Model | PricedFeatures, state?: ResolvedState): PreparedChat {
    const { call, request, config } = input
    const { clients } = config
    const hasFeatures = "featureCosts" in priced
    if (hasFeatures && !call.isEstimate) this.#reportUnpriced(call, priced)
    const model = hasFeatures ? priced.model : priced
    try {
      const held = heldRequest(request, model, clients)
      const calls = maxCalls(request, model, clients)
      return { input, admission: { call, request: held, priced, state, calls, clients } }
    } catch (error) {
      input.rate.correct(NO_USAGE)
      throw error
    }
  }

  #reportUnpriced(call: Call, { featureCosts }: PricedFeatures): void {
    for (const { deployment, unpriced } of featureCosts.values()) {
      if (unpriced.length > 0)
        this.#services.alarms.unpricedFeatureAllowed(call.id, deployment.id, unpriced)
    }
  }

  #contextOf(input: ChatInput, { charge, cancellation }: RequestContext): ChatContext {
    const { call, dialect, config, rate } = input
    const { headers } = rate
    const keeping = this.#keeping(input)
    const request = keeping ? { ...input.request, isKept: true } : input.request
    if (charge.clampedTo !== undefined) headers["x-tollgate-max-tokens"] = String(charge.clampedTo)
    return { call, dialect, request, config, charge, rate, headers, cancellation, keeping }
  }

  /** Returns how the response is stored for the account; undefined if it is not stored. */
  #keeping({ call, dialect }: ChatInput): ResponseToStore | undefined {
    const form = dialect.isOneWay ? undefined : dialect.conversation
    if (!form?.wantsKept(call.body) || !this.#services.conversations.isOn) return undefined
    return { call, form, body: call.body }
  }
}
