import { GatewayError } from "../../canon/errors.ts"
import type { JsonValue } from "../../canon/json.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { NO_USAGE } from "../../canon/usage.ts"
import { type Deployment, credentialIdOf } from "../../catalog/model.ts"
import type { Settlement } from "../../ledger/hold.ts"
import { LentMemory } from "../../limits/lent-memory.ts"
import type { Health } from "../../routing/health.ts"
import type { Router } from "../../routing/route.ts"
import type { HttpClient } from "../../wire/http/client.ts"
import type { Billing } from "../billing/billing.ts"
import type { PricedUsage } from "../billing/priced-usage.ts"
import type { ChatAdmission, PendingCharge, UsageAdmission } from "../billing/pending-charge.ts"
import { Attempt, type AttemptAlarms, type Candidate } from "../upstream/attempt.ts"
import { Cancellation, recordUnchargedCalls } from "./cancellation.ts"
import { CandidateQueue } from "./candidate-queue.ts"
import type { DeadlineWatch } from "../lifetime/deadline-watch.ts"
import { asCallFailure, CallEnded } from "../lifetime/call-failure.ts"
import { cacheKeyOf } from "./cache-key.ts"
import { type FirstAttempt, Hedges, hedges } from "./hedges.ts"
import type { PayloadLog } from "./payload-log.ts"
import type { ReceivedRequest, RequestContext } from "./request-context.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { Call } from "../request/call.ts"
import { drainRuleOf, type RuntimeConfig } from "../request/runtime-config.ts"
import { RelatedCalls } from "./related-calls.ts"
import type { Trial } from "./trial.ts"

export interface PipelineServices {
  readonly client: HttpClient
  readonly watch: DeadlineWatch
  readonly health: Health
  readonly router: Router
  readonly billing: Billing
  readonly payloads: PayloadLog
  readonly alarms: AttemptAlarms
}

type Admission = ChatAdmission | UsageAdmission

/**
 * Runs every request. It holds the worst case, tries candidates in order with one or several attempts each, and settles
 * the delivered response or releases the hold.
 */
export class Pipeline {
  readonly #services: PipelineServices
  readonly #hedges: Hedges
  /** Makes several upstream calls for one request. */
  readonly relatedCalls: RelatedCalls

  constructor(services: PipelineServices) {
    this.#services = services
    this.#hedges = new Hedges(services)
    this.relatedCalls = new RelatedCalls(services.router)
  }

  /**
   * Holds the worst case of a request, which has already been counted in the rate limits.
   * @returns the context of the request, which is shared until the request is settled or released.
   * @throws GatewayError like `Holds.admit`. The request then also counts no tokens towards its key's rate limit.
   */
  admit(arrival: ReceivedRequest, admission: Admission): MaybePromise<RequestContext> {
    let holding: MaybePromise<PendingCharge>
    try {
      holding = this.#services.billing.holds.admit(admission)
    } catch (error) {
      arrival.rate.correct(NO_USAGE)
      throw error
    }
    return holding instanceof Promise
      ? this.#admitLater(holding, arrival, admission)
      : this.#contextOf(arrival, holding, admission)
  }

  async #admitLater(
    holding: Promise<PendingCharge>,
    arrival: ReceivedRequest,
    admission: Admission,
  ): Promise<RequestContext> {
    try {
      return this.#contextOf(arrival, await holding, admission)
    } catch (error) {
      arrival.rate.correct(NO_USAGE)
      throw error
    }
  }

  /**
   * Changes the hold of an operation that differs from the expected one.
   * @param before the context of the previous hold, which ends unless this method fails.
   * @throws GatewayError like `admit`. The previous hold then remains.
   */
  async revise(
    arrival: ReceivedRequest,
    before: RequestContext,
    admission: UsageAdmission,
  ): Promise<RequestContext> {
    const charge = await this.#services.billing.holds.revise(before.charge, admission)
    before.cancellation[Symbol.dispose]()
    return this.#contextOf(arrival, charge, admission)
  }

  #contextOf(
    arrival: ReceivedRequest,
    charge: PendingCharge,
    admission: Admission,
  ): RequestContext {
    const { call, caller, config, rate, work } = arrival
    const drain = admission.isWhole === false ? undefined : drainRuleOf(config, charge.model)
    const cancellation = new Cancellation(caller, this.#services.watch, work, drain)
    return { call, config, charge, rate, headers: rate.headers, cancellation }
  }

  /**
   * Tries the deployments of a request's model until one of them responds. Healthy deployments come first.
   * @throws the CallFailure of the last attempt, after all attempts have ended.
   */
  async tryCandidates<P extends Candidate, T>(
    context: RequestContext,
    trial: Trial<P, T>,
  ): Promise<T> {
    const { candidates = this.candidates(context) } = trial
    const mayHedge = trial.mayHedge !== undefined && candidates.length > 1 && hedges(context)
    const queue = new CandidateQueue(context, candidates, this.#services)
    let candidate = queue.next()
    for (
      ;
      candidate !== undefined;
      candidate = queue.next() ?? (await this.#retry(context, queue))
    ) {
      let planned: P
      try {
        planned = await trial.plan(candidate)
      } catch (thrown) {
        queue.skip(thrown)
        continue
      }
      if (queue.failure !== undefined) await this.#loseFailedCalls(context)
      this.#services.health.attempted(candidate.deployment.id)
      try {
        const hedged = mayHedge ? this.#hedged({ context, trial, planned, queue }) : undefined
        if (hedged !== undefined) return await hedged
        const response = await trial.attempt(planned)
        this.#served(candidate)
        return response
      } catch (thrown) {
        const failure = candidate.client.cleaned(asCallFailure(thrown))
        if (!queue.fail(candidate, failure)) break
      }
    }
    await context.cancellation.othersOver()
    throw (
      queue.failure ??
      new GatewayError("upstream_overloaded", "No deployment of this model is configured.")
    )
  }

  /** Returns the candidate for a retry. Answered calls are not repeated, because the provider bills them. */
  async #retry(context: RequestContext, queue: CandidateQueue): Promise<Candidate | undefined> {
    return this.relatedCalls.isPartlyAnswered(context) ? undefined : queue.retry()
  }

  /** Ends the calls to failed candidates once another candidate is tried, since their usage is then not charged. */
  async #loseFailedCalls({ charge, cancellation }: RequestContext): Promise<void> {
    await cancellation.endOthers()
    recordUnchargedCalls(charge, cancellation.attempts)
  }

  /**
   * Returns the response of a candidate, or of a parallel call if the candidate is late; undefined if no parallel call
   * is possible.
   */
  #hedged<P extends Candidate, T>(first: FirstAttempt<P, T>): Promise<T> | undefined {
    const lateAfter = this.#hedges.lateAfter(first)
    if (lateAfter === undefined) return undefined
    return this.#hedges.respond(first, lateAfter).then(({ plan: winner, response }) => {
      this.#served(winner)
      void first.context.cancellation.endOthers()
      return response
    })
  }

  #served({ deployment }: Candidate): void {
    this.#services.health.succeeded(deployment.id)
    this.#services.router.loadOf(deployment).succeeded()
  }

  /** Returns the deployments of a request's model in the order of attempts. */
  candidates({ charge, config }: RequestContext): readonly Candidate[] {
    const { call, request, model, state } = charge
    const isSticky = config.routing.affinity && model.deployments.length > 1
    const key = isSticky && request !== undefined ? cacheKeyFinder(call, request) : undefined
    const { deployments, reason } = this.#services.router.route(model, key)
    charge.routedBy = state === undefined ? reason : "state"
    const [only] = deployments
    if (only !== undefined && deployments.length === 1) return [candidateOf(config, only)]
    return deployments.map((deployment) => candidateOf(config, deployment))
  }

  /**
   * Starts an upstream call: adds it to the receipt, and ends it when the caller disconnects. The returned attempt must
   * be used within a `try` block that passes failures to its `fail` method.
   * @throws CallEnded if the caller has disconnected.
   */
  begin<T extends Candidate>(context: RequestContext, plan: T): Attempt<T> {
    const { call, charge, config, cancellation } = context
    if (cancellation.hasLeft) throw new CallEnded("caller_disconnected")
    const { client, watch, health, router, alarms } = this.#services
    const attempt = new Attempt({
      plan,
      load: router.loadOf(plan.deployment),
      begunAt: call.startedAt,
      client,
      timeouts: config.timeouts,
      watch,
      health,
      alarms,
      responseBytes: config.responseBytes,
      request: call.id,
      isStream: charge.request?.stream ?? false,
      memory: hedges(context) ? new LentMemory(call.memory) : call.memory,
      work: cancellation.work,
      trace: call.trace,
    })
    cancellation.attempts.push(attempt)
    charge.attempts.push(attempt.record)
    return attempt
  }

  /**
   * Charges the usage, and corrects the count in the key's rate limits. Resolves when the charge is on disk.
   * @throws GatewayError `ledger_unavailable`, in which case the response must not be sent. The error states whether
   * the request was charged.
   */
  settle(
    { charge, rate }: RequestContext,
    deployment: Deployment,
    priced: PricedUsage,
  ): Promise<Settlement> {
    rate.correct(priced.usage)
    return this.#services.billing.settle(charge, deployment, priced)
  }

  /** Ends a request that delivered nothing. It costs no credits, and no tokens of its key's rate limit. */
  release(context: RequestContext): void {
    const { charge, cancellation, rate } = context
    recordUnchargedCalls(charge, cancellation.attempts)
    this.#services.billing.release(charge)
    rate.correct(NO_USAGE)
    this.keepPayload(context)
  }

  /**
   * Stores the request and its response for accounts with storage enabled.
   * @param response absent if there is no response, or if the response is not text.
   */
  keepPayload({ call }: RequestContext, response?: JsonValue): void {
    if (call.body) this.#services.payloads.keep(call, call.body, response)
  }
}

function candidateOf({ clients }: RuntimeConfig, deployment: Deployment): Candidate {
  const client = clients.get(credentialIdOf(deployment))
  if (!client) throw new Error(`provider ${deployment.provider} is not set up`)
  return { deployment, client }
}

function cacheKeyFinder(call: Call, request: ChatRequest): () => ReturnType<typeof cacheKeyOf> {
  return () => cacheKeyOf(call, request)
}
