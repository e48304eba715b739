import type { MaybePromise } from "../canon/maybe-promise.ts"
import { MINUTE } from "./bucket.ts"
import type { LimitOwner } from "./exceeded.ts"
import { LeasedRates, type LeasedRatesParts } from "./leased-rates.ts"
import { LeasedSlots } from "./leased-slots.ts"
import type { RateLimiter, RateRequest } from "./rate-limiter.ts"
import type { RunningRequests } from "./running-requests.ts"

export interface RatesParts extends LeasedRatesParts {
  readonly running: RunningRequests
  /** The process, as the database knows it. */
  readonly node: string
}

/**
 * Admits requests at the rates of their keys: from this machine's memory while it is alone, which asks no one, and from
 * leases while there are other machines.
 */
export class Rates {
  readonly #running: RunningRequests
  readonly #local: RateLimiter
  readonly #leased: LeasedRates
  readonly #slots: LeasedSlots
  readonly #clock: () => number
  #isLeased = false
  /** When another machine was last seen. */
  #companyAt = -Infinity

  constructor(parts: RatesParts) {
    this.#running = parts.running
    this.#local = parts.local
    this.#leased = new LeasedRates(parts)
    this.#slots = new LeasedSlots(parts)
    this.#clock = parts.clock
  }

  /** Sets how many machines share the limits. */
  setMachines(machines: number): void {
    this.#local.setMachines(machines)
    this.#leased.machines = machines
    this.#slots.machines = machines
    const now = this.#clock()
    if (machines > 1) this.#companyAt = now
    // What others have used before they left drains first.
    const wasLeased = this.#isLeased
    this.#isLeased = now < this.#companyAt + MINUTE
    if (this.#isLeased && !wasLeased) this.#slots.begin()
  }

  /**
   * A request begins, of a key, or an account, that may have only so many at the same time.
   * @returns a function to call once when it ends; a promise if it has to wait for the database.
   * @throws GatewayError `concurrent_requests_exceeded`
   */
  enter(keyId: string, limit: number, whose?: LimitOwner): MaybePromise<() => void> {
    if (this.#isLeased) return this.#slots.enter(keyId, limit, whose)
    return this.#running.enter(keyId, limit, whose)
  }

  /**
   * Admits a request or refuses it. A refused request uses nothing.
   * @returns the `x-ratelimit-*` headers of its response, for the limits that are set; a promise where it has to wait for
   * the database.
   * @throws GatewayError `request_rate_exceeded`, `token_rate_exceeded`, with `retryAfter`.
   */
  check(keyId: string, request: RateRequest): MaybePromise<Record<string, string>> {
    if (!this.#isLeased) return this.#local.check(keyId, request)
    if (request.requestsPerMinute === undefined && request.tokensPerMinute === undefined) return {}
    return this.#leased.check(keyId, request)
  }

  /**
   * Rejects a request for which the key has none left in its minute; uses nothing.
   * @param limit per minute; undefined: no limit.
   * @throws GatewayError `request_rate_exceeded`, with `retryAfter`.
   */
  refuseExceeded(keyId: string, limit: number | undefined, whose: LimitOwner): void {
    if (limit === undefined) return
    const limits = this.#isLeased ? this.#leased : this.#local
    limits.refuseExceeded(keyId, { requestsPerMinute: limit, tokens: 0, whose })
  }

  /**
   * Corrects the tokens of a request once its real usage is known.
   * @param delta tokens really used less those it was checked with; a request that failed gives all of them
   * back. Never gives back more than is in use.
   * @param heldFor milliseconds since the check. What has drained meanwhile is not given back a second time.
   */
  adjust(keyId: string, delta: number, heldFor = 0): void {
    if (delta === 0) return
    if (this.#isLeased && this.#leased.adjust(keyId, delta, heldFor)) return
    this.#local.adjust(keyId, delta, heldFor)
  }
}
