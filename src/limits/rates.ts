import type { MaybePromise } from "../canon/maybe-promise.ts"
import { MINUTE_MS } from "./bucket.ts"
import type { LimitOwner } from "./exceeded.ts"
import { LeasedRates, type LeasedRatesParts } from "./leased-rates.ts"
import { LeasedSlots } from "./leased-slots.ts"
import type { RateLimiter, RateRequest } from "./rate-limiter.ts"
import type { RunningRequests } from "./running-requests.ts"

export interface RatesParts extends LeasedRatesParts {
  readonly running: RunningRequests
  /** The id of the process in the database. */
  readonly node: string
}

/**
 * Admits requests at the rates of their keys. It uses this machine's memory while there is only one machine, and leases
 * while there are several.
 */
export class Rates {
  readonly #running: RunningRequests
  readonly #local: RateLimiter
  readonly #leased: LeasedRates
  readonly #slots: LeasedSlots
  readonly #clock: () => number
  #isLeased = false
  /** When other machines were last seen, in monotonic milliseconds. */
  #othersSeenAt = -Infinity

  constructor(parts: RatesParts) {
    this.#running = parts.running
    this.#local = parts.local
    this.#leased = new LeasedRates(parts)
    this.#slots = new LeasedSlots(parts)
    this.#clock = parts.clock
  }

  /** Sets the number of machines that share the limits. */
  setMachines(machines: number): void {
    this.#local.setMachines(machines)
    this.#leased.machines = machines
    this.#slots.machines = machines
    const now = this.#clock()
    if (machines > 1) this.#othersSeenAt = now
    // The usage of departed machines must drain before the leases end.
    const wasLeased = this.#isLeased
    this.#isLeased = now < this.#othersSeenAt + MINUTE_MS
    if (this.#isLeased && !wasLeased) this.#slots.begin()
  }

  /**
   * Begins a request of a key or an account with a maximum of concurrent requests.
   * @returns a function to call once when the request ends, or a promise of it if the request must wait for the
   * database.
   * @throws GatewayError `concurrent_requests_exceeded`
   */
  enter(keyId: string, limit: number, whose?: LimitOwner): MaybePromise<() => void> {
    if (this.#isLeased) return this.#slots.enter(keyId, limit, whose)
    return this.#running.enter(keyId, limit, whose)
  }

  /**
   * Admits or rejects a request. A rejected request uses nothing.
   * @returns the `x-ratelimit-*` headers of its response, for the configured limits (a promise if it must wait for the
   * database).
   * @throws GatewayError `request_rate_exceeded`, `token_rate_exceeded`, with `retryAfter`.
   */
  check(keyId: string, request: RateRequest): MaybePromise<Record<string, string>> {
    if (!this.#isLeased) return this.#local.check(keyId, request)
    if (request.requestsPerMinute === undefined && request.tokensPerMinute === undefined) return {}
    return this.#leased.check(keyId, request)
  }

  /**
   * Rejects a request if the key has used up its requests of the current minute. Nothing is counted.
   * @param limit requests per minute; undefined without a limit.
   * @throws GatewayError `request_rate_exceeded`, with `retryAfter`.
   */
  refuseExceeded(keyId: string, limit: number | undefined, whose: LimitOwner): void {
    if (limit === undefined) return
    const limits = this.#isLeased ? this.#leased : this.#local
    limits.refuseExceeded(keyId, { requestsPerMinute: limit, tokens: 0, whose })
  }

  /**
   * Corrects the tokens of a request when its actual usage is known.
   * @param delta the actual tokens minus the checked tokens. For a failed request, all checked tokens are returned. The
   * usage never falls below zero.
   * @param heldFor milliseconds since the check. Units that have drained since then are not returned again.
   */
  adjust(keyId: string, delta: number, heldFor = 0): void {
    if (delta === 0) return
    if (this.#isLeased && this.#leased.adjust(keyId, delta, heldFor)) return
    this.#local.adjust(keyId, delta, heldFor)
  }
}
