import { GatewayError } from "../../canon/errors.ts"
import type { JsonValue } from "../../canon/json.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { NO_USAGE } from "../../canon/usage.ts"
import { type Deployment, keeperOf } from "../../catalog/model.ts"
import type { Settlement } from "../../ledger/hold.ts"
import { LentMemory } from "../../limits/lent-memory.ts"
import type { Health } from "../../routing/health.ts"
import type { Router } from "../../routing/route.ts"
import type { AttemptFailure, LoggedFailure } from "../../telemetry/events.ts"
import type { HttpClient } from "../../wire/http/client.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { ConnectionError } from "../../wire/http/connection-error.ts"
import type { Billing } from "../billing/billing.ts"
import type { PricedUsage } from "../billing/priced-usage.ts"
import type { AttemptRecord } from "../billing/receipt.ts"
import type { ChatAdmission, PendingCharge, UsageAdmission } from "../billing/pending-charge.ts"
import { Attempt, type Candidate } from "../upstream/attempt.ts"
import { Cancellation, loseCalls } from "./cancellation.ts"
import type { DeadlineWatch } from "../lifetime/deadline-watch.ts"
import {
  asCallFailure,
  CallEnded,
  type CallFailure,
  endsFailover,
  isFinal,
} from "../lifetime/call-failure.ts"
import { cacheKeyOf } from "./cache-key.ts"
import { type FirstAttempt, Hedges, hedges } from "./hedges.ts"
import type { PayloadLog } from "./payload-log.ts"
import type { Arrival, RequestContext } from "./request-context.ts"
import { pauseBeforeRetry } from "./retry.ts"
import { drainRuleOf } from "../request/runtime-config.ts"
import type { Trial } from "./trial.ts"

/** Reported to the operator. */
export interface AttemptAlarms {
  attemptFailed(request: string, deployment: string, failure: LoggedFailure): void
  /** The same, and refusals of the request itself, with the vendor's own words. */
  attemptEnded(failure: AttemptFailure): void
}

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

/** A request that is paid for. */
export interface Settled {
  readonly priced: PricedUsage
  readonly settlement: Settlement
}

/**
 * The way of every request, chat or not: its worst case is held; candidates are tried one after the other, each with
 * one attempt or several; what is delivered is settled, else the hold is released.
 */
export class Pipeline {
  readonly #client: HttpClient
  readonly #watch: DeadlineWatch
  readonly #health: Health
  readonly #router: Router
  readonly #hedges: Hedges
  readonly #billing: Billing
  readonly #payloads: PayloadLog
  readonly #alarms: AttemptAlarms

  constructor({ client, watch, health, router, billing, payloads, alarms }: PipelineServices) {
    this.#client = client
    this.#watch = watch
    this.#health = health
    this.#router = router
    this.#hedges = new Hedges(health, router)
    this.#billing = billing
    this.#payloads = payloads
    this.#alarms = alarms
  }

  /**
   * Sets the worst case of a request aside. Its rates are counted by now.
   * @returns what everything that serves the request shares, until it is settled or released.
   * @throws GatewayError as `Holds.admit` does; then it has used nothing of its key's rate of tokens either.
   */
  async admit(arrival: Arrival, admission: Admission): Promise<RequestContext> {
    try {
      const holding = this.#billing.holds.admit(admission)
      return this.#contextOf(arrival, await holding, admission)
    } catch (error) {
      arrival.rate.correct(NO_USAGE)
      throw error
    }
  }

  /**
   * Changes what is held for an operation that turns out to be another than it seemed.
   * @param before is over with this, unless it fails.
   * @throws GatewayError as `admit` does; then what was held before still is.
   */
  async revise(
    arrival: Arrival,
    before: RequestContext,
    admission: UsageAdmission,
  ): Promise<RequestContext> {
    const charge = await this.#billing.holds.revise(before.charge, admission)
    before.cancellation[Symbol.dispose]()
    return this.#contextOf(arrival, charge, admission)
  }

  #contextOf(arrival: Arrival, charge: PendingCharge, admission: Admission): RequestContext {
    const { call, caller, config, rate, work } = arrival
    const drain = admission.isWhole === false ? undefined : drainRuleOf(config, charge.model)
    const cancellation = new Cancellation(caller, this.#watch, work, drain)
    return { call, config, charge, rate, headers: rate.headers, cancellation }
  }

  /**
   * Tries the deployments of a request's model, the healthy ones first, until one gives an answer.
   * @throws CallFailure the last one; its attempts are over by then.
   */
  async tryCandidates<P extends Candidate, T>(
    context: RequestContext,
    trial: Trial<P, T>,
  ): Promise<T> {
    const { plan, candidates = this.candidates(context) } = trial
    const queue = [...candidates]
    const mayHedge = trial.mayHedge !== undefined && queue.length > 1 && hedges(context)
    let failure: CallFailure | undefined
    /** Of the deployment that is tried again where no other one helps. */
    let repeatable: CallFailure | undefined
    let retries = 0
    /** Models that have refused the request itself. */
    const refusing = new Set<string>()
    for (const candidate of queue) {
      const { member } = candidate.deployment
      if (member !== undefined && refusing.has(member.id)) continue
      const isFurther = failure !== undefined && retries === 0
      if (!isFurther || this.#mayTry(candidate)) {
        let planned: P
        try {
          planned = await plan(candidate)
        } catch (thrown) {
          failure ??= asCallFailure(thrown)
          continue
        }
        // What was counted until now may still be charged, if nothing else is tried.
        if (failure !== undefined) {
          await context.cancellation.endOthers()
          loseCalls(context.charge, context.cancellation.attempts)
        }
        this.#health.attempted(candidate.deployment.id)
        try {
          const hedged = mayHedge && this.#hedged({ context, trial, planned, queue })
          if (hedged) return await hedged
          const answer = await trial.attempt(planned)
          this.#served(candidate)
          return answer
        } catch (thrown) {
          failure = candidate.client.cleaned(asCallFailure(thrown))
          if (candidate === candidates[0]) repeatable = failure
          if (endsFailover(failure)) {
            if (member === undefined || isFinal(failure)) break
            refusing.add(member.id)
            continue
          }
        }
      }
      const isLast = candidate === queue.at(-1)
      if (isLast && (await this.#mayRepeat(context, candidates, repeatable, retries++))) {
        queue.push(...candidates.slice(0, 1))
      }
    }
    await context.cancellation.othersOver()
    throw (
      failure ?? new GatewayError("upstream_overloaded", "No deployment of this model is set up.")
    )
  }

  /** The answer of a candidate, or of another that is asked as well because it is late; undefined where none is. */
  #hedged<P extends Candidate, T>(first: FirstAttempt<P, T>): Promise<T> | undefined {
    const lateAfter = this.#hedges.lateAfter(first)
    if (lateAfter === undefined) return undefined
    return this.#hedges.answer(first, lateAfter).then(({ plan: winner, answer }) => {
      this.#served(winner)
      void first.context.cancellation.endOthers()
      return answer
    })
  }

  #served({ deployment }: Candidate): void {
    this.#health.succeeded(deployment.id)
    this.#router.loadOf(deployment).succeeded()
  }

  /** Whether a further deployment is tried: not all requests go on to those that rest, or an outage is made worse. */
  #mayTry({ deployment }: Candidate): boolean {
    return this.#health.isHealthy(deployment.id) || this.#router.loadOf(deployment).takeProbe()
  }

  /**
   * Where there is no other healthy deployment to try, the first is tried again after a moment, if the failure is worth it
   * and not all that goes there fails.
   */
  async #mayRepeat(
    context: RequestContext,
    candidates: readonly Candidate[],
    failure: CallFailure | undefined,
    retries: number,
  ): Promise<boolean> {
    const [first] = candidates
    if (first === undefined || failure === undefined) return false
    const { deployments } = context.charge.model
    if (!this.#router.isWithoutChoice(deployments)) return false
    const pause = pauseBeforeRetry(context, { deployment: first.deployment, failure }, retries)
    if (pause === undefined || !this.#router.loadOf(first.deployment).takeRetry()) return false
    await Bun.sleep(pause)
    return true
  }

  /** The deployments of a request's model, in the order in which they are tried. */
  candidates({ charge, config }: RequestContext): readonly Candidate[] {
    const { call, request, model, state } = charge
    const isSticky = config.routing.affinity && request !== undefined
    const key = isSticky ? () => cacheKeyOf(call, request) : undefined
    const { deployments, reason } = this.#router.route(model, key)
    charge.routedBy = state === undefined ? reason : "state"
    return deployments.map((deployment) => {
      const client = config.clients.get(keeperOf(deployment))
      if (!client) throw new Error(`provider ${deployment.provider} is not set up`)
      return { deployment, client }
    })
  }

  /**
   * Begins an upstream call: it is on the receipt, and ends when the caller leaves. What is done with it belongs in
   * a `try` whose failure goes to its `fail`.
   * @throws CallEnded when the caller has left.
   */
  begin<T extends Candidate>(context: RequestContext, plan: T): Attempt<T> {
    const { call, charge, config, cancellation } = context
    if (cancellation.hasLeft) throw new CallEnded("caller_left")
    const attempt = new Attempt({
      plan,
      load: this.#router.loadOf(plan.deployment),
      begunAt: call.startedAt,
      client: this.#client,
      deadlines: config.deadlines,
      watch: this.#watch,
      observer: this,
      answerBytes: config.answerBytes,
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
   * Makes the related calls of one candidate. If one fails, the others continue until the request has another answer,
   * or to their end without such an answer.
   */
  async together<T>(
    { cancellation }: RequestContext,
    deployment: Deployment,
    calls: readonly (() => Promise<T>)[],
  ): Promise<readonly T[]> {
    const [only] = calls
    if (only && calls.length === 1) return [await only()]
    const { attempts } = cancellation
    const earlier = new Set(attempts)
    const running: Promise<T>[] = []
    for (const [index, call] of calls.entries()) {
      if (index > 0 && index % CALLS_PER_TURN === 0) {
        await ownTurn()
        if (cancellation.hasLeft) break
      }
      const started = call()
      // It may fail before all have started.
      started.catch(() => undefined)
      running.push(started)
    }
    try {
      return await Promise.all(running)
    } catch (failure) {
      const calls = () =>
        attempts.filter(
          (attempt) => attempt.plan.deployment === deployment && !earlier.has(attempt),
        )
      cancellation.leaveRunning({ calls, over: Promise.allSettled(running) })
      throw failure
    }
  }

  /** What an attempt failed with, for the deployment's health and the operator. */
  attemptFailed(
    request: string,
    deployment: Deployment,
    failure: GatewayError,
    { status, cause = "" }: AttemptRecord,
  ): void {
    // Callers choose the names of unknown models: only what concerns the account is kept.
    if (deployment.isAssumed === true) this.#health.accountFailed(deployment.id, failure, status)
    else this.#health.failed(deployment.id, failure, status)
    this.#alarms.attemptFailed(request, deployment.id, {
      outcome: failure.kind,
      status,
      cause,
      ...connectionFacts(failure),
    })
  }

  /** Nothing was learnt of a deployment by an attempt: another may learn it. */
  attemptUnjudged({ id }: Deployment): void {
    this.#health.ended(id)
  }

  /** Any failure, also a refusal of the request itself, with all that is known of it. */
  attemptEnded(failure: AttemptFailure): void {
    this.#alarms.attemptEnded(failure)
  }

  /**
   * Charges what was used, and corrects the key's rate. Resolves when the charge is on disk.
   * @throws GatewayError `book_unavailable`: nothing was charged, and the answer must not be released.
   */
  async settle(
    { charge, rate }: RequestContext,
    deployment: Deployment,
    pricing: MaybePromise<PricedUsage>,
  ): Promise<Settled> {
    const priced = await pricing
    const settlement = await this.#billing.settle(charge, deployment, priced)
    rate.correct(priced.usage)
    return { priced, settlement }
  }

  /** Ends a request that delivered nothing: it costs no money, and no tokens of its key's rate. */
  release(context: RequestContext): void {
    const { charge, cancellation, rate } = context
    loseCalls(charge, cancellation.attempts)
    this.#billing.release(charge)
    rate.correct(NO_USAGE)
    this.keepPayload(context)
  }

  /**
   * Keeps what was asked and answered, for accounts that want that and no one else.
   * @param answer absent where there was none, or it is no text.
   */
  keepPayload({ call }: RequestContext, answer?: JsonValue): void {
    if (call.body) this.#payloads.keep(call, call.body, answer)
  }
}

/** Calls that one request may start before it yields to other requests. */
const CALLS_PER_TURN = 8

/** Where and how a connection failed. */
function connectionFacts({ details }: GatewayError): Pick<LoggedFailure, "phase" | "code"> {
  const { cause } = details
  return cause instanceof ConnectionError ? { phase: cause.phase, code: cause.code } : {}
}
