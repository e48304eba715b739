import { asChargedError, GatewayError } from "../../canon/errors.ts"
import { reportable } from "../../canon/extra.ts"
import type { FormFile } from "../../canon/form-file.ts"
import type { OperationCall } from "../../canon/operation.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { isNoUsage, totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import type { CountedUsage } from "../billing/priced-usage.ts"
import { notCarried } from "../pipeline/response-headers.ts"
import type { Call, Caller } from "../request/call.ts"
import {
  CallEnded,
  type CallFailure,
  billedResponseOf,
  isCallerGone,
} from "../lifetime/call-failure.ts"
import { RateUsage } from "../pipeline/rate-usage.ts"
import type { RequestContext } from "../pipeline/request-context.ts"
import { OpenOperation, type OperationServices, type Outcome } from "./open-operation.ts"
import type { Candidate } from "../upstream/attempt.ts"
import { SpeculativeCall } from "../upstream/speculative-call.ts"
import { OperationCandidate } from "./operation-candidate.ts"
import type { Admission, OperationPlan } from "./operation-plan.ts"
import { roughTokens } from "../tokens/rough-tokens.ts"

/** Runs an operation at one deployment. After an error, the pipeline decides whether another deployment is tried. */
export type AttemptAt<T> = (candidate: OperationCandidate) => Promise<Outcome<T>>

/**
 * Called for a request that has finally failed although its last candidate completed some calls. Returns the usage of
 * these calls, which is charged while the caller receives the error, or an outcome that the caller receives instead.
 */
export type CompletedAt<T> = (candidate: OperationCandidate) => Promise<CountedUsage | Outcome<T>>

/**
 * Returns the usage of a billed request whose response was not read, because the caller has disconnected or the
 * response cannot be used. The usage is estimated, except for the candidate's `unreadUsage`.
 * @param share the share of the input that was sent, from 0 to 1.
 * @param isMade whether the response arrived and cannot be used.
 */
export type UnreadAt = (
  candidate: OperationCandidate,
  share: number,
  isMade: boolean,
) => MaybePromise<Usage>

/** The functions that run an operation. */
export interface Opening<T> {
  readonly attempt: AttemptAt<T>
  /**
   * Returns the losses at a deployment. A strict request with losses is rejected before the deployment is called. If
   * this function is absent, `attempt` rejects the request.
   */
  readonly lossesAt?: OperationPlan["lossesAt"]
  readonly unread: UnreadAt
  /** Handles completed calls of a failed request. If absent, they are charged only if the caller has disconnected. */
  readonly completed?: CompletedAt<T>
  /** Whether a second deployment may be called in parallel. It is false for a file that is forwarded as it arrives. */
  readonly mayHedge?: boolean
}

/** Runs an operation. An unusable response counts as a failure of its call. */
async function used<T>(candidate: OperationCandidate, attempt: AttemptAt<T>): Promise<Outcome<T>> {
  try {
    return await attempt(candidate)
  } catch (thrown) {
    candidate.reject(thrown)
    throw thrown
  }
}

/** A request that has finally failed, and the candidate that completed some of its calls. */
interface Completed<T> {
  readonly candidate: OperationCandidate
  readonly completed: CompletedAt<T>
  readonly error: unknown
}

/**
 * One operation of a request. `admit` applies rate limits and holds credits, and `open` calls the upstream. Otherwise,
 * the operation is released.
 */
export class Operation implements Disposable {
  readonly #services: OperationServices
  readonly #call: Call
  readonly #caller: Caller
  readonly #rate: RateUsage
  /** Set while the worst case is held and the operation has not been opened yet. */
  #admitted: RequestContext | undefined
  /** The candidates in the order in which they are tried. The order is determined on first use. */
  #candidates: readonly Candidate[] | undefined
  #speculative: SpeculativeCall | undefined

  /** @param isPart whether another operation has already counted the request in its key's rate limits. */
  constructor(services: OperationServices, call: Call, caller: Caller, isPart = false) {
    this.#services = services
    this.#call = call
    this.#caller = caller
    this.#rate = new RateUsage(services.limiter, call, isPart)
  }

  /**
   * Counts the operation in the key's rate limits and holds its worst case. It is called again before `open` if the
   * request differs from the expectation. The hold is then resized, and the early call is aborted.
   * @throws GatewayError, in which case no more is held than before.
   */
  async admit({ model, worst, max, calls, isWhole = false }: Admission): Promise<void> {
    const { pipeline, watch } = this.#services
    const call = this.#call
    const rate = this.#rate
    const before = this.#admitted
    this.#speculative?.giveUp()
    this.#candidates = undefined
    const config = this.#services.config()
    const work = watch.monitor.enter(call.id, call.endpoint, model.id)
    const arrival = { call, caller: this.#caller, config, rate, work }
    const admission = { call, request: undefined, model, worst, max, calls, isWhole }
    if (before) this.#admitted = await pipeline.revise(arrival, before, admission)
    else {
      const counting = rate.count({
        input: roughTokens(totalInput(worst)),
        output: totalOutput(worst),
      })
      if (counting) await counting
      this.#admitted = await pipeline.admit(arrival, admission)
    }
  }

  /**
   * The first deployment in the order of attempts.
   * @throws Error if no deployment is set up.
   */
  get first(): Candidate {
    const context = this.#requireAdmitted()
    const [first] = (this.#candidates ??= this.#services.pipeline.candidates(context))
    if (!first) throw new Error("no deployment of this model is set up")
    return first
  }

  /**
   * Makes the first call while the file is still arriving. `open` uses this call if it succeeds. A failure of the call
   * is not reported.
   * @param candidate the first candidate.
   */
  async speculate(candidate: Candidate, call: OperationCall, file: FormFile): Promise<void> {
    const { client } = this.#services
    const request = await candidate.client.operation(call)
    this.#speculative = new SpeculativeCall(candidate.deployment, client.send(request), file)
  }

  /**
   * Calls the upstream and returns its response. It must be called only once.
   * @throws GatewayError, in which case nothing is held.
   */
  async open<T>({
    attempt,
    lossesAt,
    unread,
    completed,
    mayHedge,
  }: Opening<T>): Promise<OpenOperation<T>> {
    const context = this.#requireAdmitted()
    const { pipeline } = this.#services
    const tried: OperationCandidate[] = []
    try {
      const { candidate, outcome } = await pipeline.tryCandidates(context, {
        plan: (candidate) =>
          new OperationCandidate(pipeline, context, candidate, this.#speculative),
        attempt: async (candidate) => {
          tried.push(candidate)
          const { ignored = [] } = context.charge.model
          if (this.#call.isStrict) {
            const losses = reportable([...ignored, ...((await lossesAt?.(candidate)) ?? [])])
            if (losses.length > 0) throw notCarried(losses)
          }
          const outcome = await used(candidate, attempt)
          // Losses that only the response shows do not reject the request, because its provider has already billed it.
          const losses = reportable([...ignored, ...outcome.losses])
          return { candidate, outcome: { value: outcome.value, losses } }
        },
        candidates: this.#candidates,
        mayHedge: mayHedge ? () => true : undefined,
      })
      return this.#opened(context, candidate, outcome)
    } catch (thrown) {
      // The response of a call may be unread although another call has failed first.
      const unreadFailure = tried.findLast(({ isUnusable }) => isUnusable)?.unreadFailure
      const error = thrown instanceof CallEnded ? thrown : (unreadFailure ?? thrown)
      const partial = await this.#openBesideUnread(context, tried, completed, error)
      if (partial !== undefined) return partial
      const charged = await this.#settleUnread(context, tried, unread, error)
      if (charged !== undefined) throw charged
      const last = tried.at(-1)
      const hasLeft = isCallerGone(error)
      const done = completed ?? (hasLeft ? usageOfCompleted(unread) : undefined)
      if (done && last && last.completed.length > 0 && (hasLeft || !(error instanceof CallEnded))) {
        return await this.#openCompleted(context, { candidate: last, completed: done, error })
      }
      // The other parallel calls are no longer needed.
      this.release(new CallEnded("not_needed"))
      throw error
    }
  }

  #opened<T>(
    context: RequestContext,
    candidate: OperationCandidate,
    outcome: Outcome<T>,
  ): OpenOperation<T> {
    this.#speculative?.giveUp()
    context.charge.losses = outcome.losses
    // From now on, the opened response settles or releases the hold.
    this.#admitted = undefined
    return new OpenOperation(this.#services, context, candidate, outcome)
  }

  /**
   * Opens the usable result of completed calls although the response of another call could not be read. All billed
   * calls are charged.
   * @returns undefined if there is no such result.
   */
  async #openBesideUnread<T>(
    context: RequestContext,
    tried: readonly OperationCandidate[],
    completed: CompletedAt<T> | undefined,
    error: unknown,
  ): Promise<OpenOperation<T> | undefined> {
    if (completed === undefined || billedResponseOf(error) === undefined) return undefined
    const candidate = tried.findLast(({ isUnusable }) => isUnusable)
    if (candidate === undefined || candidate.completed.length === 0) return undefined
    const done = await completed(candidate).catch(() => undefined)
    if (done === undefined || !("value" in done)) return undefined
    for (const other of tried) if (other !== candidate) other.lost()
    return this.#opened(context, candidate, done)
  }

  /**
   * Charges the provider cost of a request whose response was not read.
   * @returns the error for the caller; undefined if there is no cost.
   */
  async #settleUnread(
    context: RequestContext,
    tried: readonly OperationCandidate[],
    unread: UnreadAt,
    error: unknown,
  ): Promise<unknown> {
    const made = billedResponseOf(error)
    if (made === undefined && !isCallerGone(error)) return undefined
    const isMade = made !== undefined
    // A parallel call to another deployment was given up, but did not fail.
    const candidate = tried.findLast(({ isUnusable, wasEnded }) => (isMade ? isUnusable : wasEnded))
    if (candidate === undefined) return undefined
    const reported = made?.usage ?? candidate.unreadUsage
    const usage = made?.usage ?? (await unread(candidate, candidate.billedShare, isMade))
    if (isNoUsage(usage)) return undefined
    for (const other of tried) if (other !== candidate) other.lost()
    const open = this.#opened(context, candidate, { value: undefined, losses: [] })
    const { charged } = await open.settle({ usage, estimated: reported === undefined })
    if (made === undefined) return error
    if (charged > 0n) return asChargedError(error)
    return made.usage === undefined ? error : freeText()
  }

  /**
   * Charges the calls that the last candidate completed before another call failed or the caller disconnected. The
   * caller receives their result if it is usable.
   */
  async #openCompleted<T>(
    context: RequestContext,
    { candidate, completed, error }: Completed<T>,
  ): Promise<OpenOperation<T>> {
    const done = await completed(candidate).catch(billedUsage)
    if (done === undefined) {
      this.release(new CallEnded("not_needed"))
      throw error
    }
    if ("value" in done) return this.#opened(context, candidate, done)
    const open = this.#opened(context, candidate, { value: undefined, losses: [] })
    await open.settle(done)
    throw isCallerGone(error) ? error : asChargedError(error)
  }

  /**
   * Releases the operation, because it is no longer needed or has failed. It has no effect before `admit` or after
   * `open`.
   */
  release(reason: CallFailure): void {
    this.#speculative?.giveUp()
    if (!this.#admitted) return
    const { cancellation } = this.#admitted
    cancellation.end(reason)
    cancellation[Symbol.dispose]()
    this.#services.pipeline.release(this.#admitted)
    this.#admitted = undefined
  }

  [Symbol.dispose](): void {
    this.release(new CallEnded("not_needed"))
  }

  #requireAdmitted(): RequestContext {
    if (!this.#admitted) throw new Error("the operation was not admitted")
    return this.#admitted
  }
}

/**
 * Returns a function that returns the reported usage of completed calls, or else their share of the estimated usage.
 */
function usageOfCompleted(unread: UnreadAt) {
  return async (candidate: OperationCandidate): Promise<CountedUsage> => ({
    usage: await unread(candidate, candidate.billedShare, false),
    estimated: candidate.unreadUsage === undefined,
  })
}

/** Returns the usage of completed calls whose responses are billed although they are unusable. */
function billedUsage(failure: unknown): CountedUsage | undefined {
  const usage = billedResponseOf(failure)?.usage
  return usage && { usage, estimated: false }
}

/** The error for text that a model generated instead of an image, if the price of the model has no rate for text. */
function freeText(): GatewayError {
  return new GatewayError(
    "rejected_by_upstream",
    "The provider generated text instead of an image, which is not passed on, because this model has no price for text.",
  )
}
