import type { Deployment } from "../../catalog/model.ts"
import type { Health } from "../../routing/health.ts"
import type { Router } from "../../routing/route.ts"
import { asCallFailure, type CallFailure, endsFailover, isFinal } from "../lifetime/call-failure.ts"
import type { AttemptRecord } from "../billing/receipt.ts"
import type { Candidate } from "../upstream/attempt.ts"
import type { RequestContext } from "./request-context.ts"
import { GatewayError } from "../../canon/errors.ts"

interface QueueServices {
  readonly health: Health
  readonly router: Router
}

/**
 * The candidates of a request that have not been tried, in order, and the failures of the candidates that have been
 * tried.
 */
export class CandidateQueue {
  readonly #context: RequestContext
  readonly #services: QueueServices
  readonly #candidates: readonly Candidate[]
  #index = 0
  /** The failure to return if no further candidate responds. */
  failure: CallFailure | undefined
  /** The last failure of the first candidate, unless that candidate rejected the request itself. */
  #firstFailure: CallFailure | undefined
  #retries = 0
  /** Models that rejected the request itself; undefined if there are none. */
  #rejecting: Set<string> | undefined
  /** Deployments that were called out of order; undefined if there are none. */
  #called: Set<string> | undefined

  constructor(context: RequestContext, candidates: readonly Candidate[], services: QueueServices) {
    this.#context = context
    this.#services = services
    this.#candidates = candidates
  }

  /** Takes the next candidate that may be tried; undefined if no candidate is left. */
  next(): Candidate | undefined {
    let candidate = this.#candidates[this.#index++]
    while (candidate !== undefined && !this.#mayTry(candidate)) {
      candidate = this.#candidates[this.#index++]
    }
    return candidate
  }

  /**
   * Whether a candidate may be tried. After a failure, only some requests try deployments that are cooling
   * down, because more requests would prolong an outage.
   */
  #mayTry({ deployment }: Candidate): boolean {
    const { id, member } = deployment
    if (this.#called?.has(id) === true) return false
    if (member !== undefined && this.#rejecting?.has(member.id) === true) return false
    if (this.failure === undefined) return true
    const { health, router } = this.#services
    return health.isHealthy(id) || router.loadOf(deployment).takeProbe()
  }

  /**
   * Waits, and then returns the first candidate for a retry.
   * @returns undefined if another deployment is healthy, or if the failure would probably recur.
   */
  async retry(): Promise<Candidate | undefined> {
    const [first] = this.#candidates
    const failure = this.#firstFailure
    if (first === undefined || failure === undefined) return undefined
    const { router } = this.#services
    const { deployment } = first
    if (!router.isWithoutChoice(this.#context.charge.model.deployments)) return undefined
    const record = this.#context.charge.attempts.findLast(
      (each) => each.deployment === deployment.id,
    )
    const pause = pauseBeforeRetry(this.#context, { failure, record }, this.#retries++)
    if (pause === undefined || !router.loadOf(deployment).takeRetry()) return undefined
    await Bun.sleep(pause)
    return first
  }

  /** Records that a candidate cannot be called. */
  skip(thrown: unknown): void {
    this.failure ??= asCallFailure(thrown)
  }

  /** Records a failed attempt. @returns whether another candidate may be tried. */
  fail(candidate: Candidate, failure: CallFailure): boolean {
    this.failure = failure
    const isEnd = endsFailover(failure)
    if (candidate === this.#candidates[0]) this.#firstFailure = isEnd ? undefined : failure
    if (!isEnd) return true
    const { member } = candidate.deployment
    if (member === undefined || isFinal(failure)) return false
    this.#rejecting ??= new Set()
    this.#rejecting.add(member.id)
    return true
  }

  /** Returns a candidate for a call in parallel with a late one. It must be a healthy deployment of the same model. */
  hedgeCandidate({ member }: Deployment): Candidate | undefined {
    // Another model is only a fallback, and a late response does not justify paying its price.
    return this.#candidates.find(
      ({ deployment: { id, member: other } }, index) =>
        index >= this.#index &&
        other?.id === member?.id &&
        this.#called?.has(id) !== true &&
        this.#services.health.isHealthy(id),
    )
  }

  /** Excludes a candidate from the queue, because it is called out of order. */
  exclude({ deployment }: Candidate): void {
    this.#called ??= new Set()
    this.#called.add(deployment.id)
  }
}

/** Maximum delay that a vendor may request before a retry. */
const MAX_RETRY_AFTER_SECONDS = 2
/** Maximum delay before the first retry. It is doubled for each further retry. */
const FIRST_RETRY_DELAY_MS = 400

/** A failed call. */
interface FailedCall {
  readonly failure: CallFailure
  /** The record of the call; undefined if no call was made. */
  readonly record: Pick<AttemptRecord, "status" | "duration"> | undefined
}

/**
 * Returns the milliseconds to wait before a call is repeated; undefined if it is not repeated. Calls are repeated after
 * failures that may be temporary: a broken or refused connection, a server error, or a 429 with a short wait.
 * @param retry the number of earlier retries.
 */
export function pauseBeforeRetry(
  { call, config }: RequestContext,
  { failure, record }: FailedCall,
  retry: number,
  random: () => number = Math.random,
): number | undefined {
  if (!(failure instanceof GatewayError) || retry >= config.routing.retries) return undefined
  const { total, firstByte } = config.timeouts
  if (record === undefined || !isAccident(failure, record, firstByte)) return undefined
  const asked = failure.kind === "upstream_overloaded" ? (failure.details.retryAfter ?? 0) : 0
  // The wait is random, so that requests that failed together are not repeated together.
  const pause = asked * 1_000 + random() * FIRST_RETRY_DELAY_MS * 2 ** retry
  return performance.now() + pause < call.startedAt + total ? pause : undefined
}

function isAccident(
  { kind, details }: GatewayError,
  { status, duration }: { readonly status: number; readonly duration: number },
  firstByte: number,
): boolean {
  switch (kind) {
    case "upstream_error":
      // A failed generation is billed, and would probably fail again.
      if (details.providerError === "generation") return false
      return status < 300 || status >= 500
    case "upstream_timeout":
      // The deployment could not be reached. If that took a long time, a retry would probably take as long.
      return status === 0 && duration < firstByte
    case "upstream_overloaded":
      // A server error without a requested wait is retried. A rate limit with a long wait must be respected.
      return (details.retryAfter ?? (status >= 500 ? 0 : Infinity)) <= MAX_RETRY_AFTER_SECONDS
    default:
      return false
  }
}
