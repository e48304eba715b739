import { MINUTE_MS } from "#contract/durations.ts"
import type { MaybePromise } from "../canon/maybe-promise.ts"
import type { LimitOwner } from "./exceeded.ts"
import { LeasedRates, type LeasedRatesParts } from "./leased-rates.ts"
import { LeasedSlots } from "./leased-slots.ts"
import type { RateLimiter, RateRequest } from "./rate-limiter.ts"
import type { RunningRequests } from "./running-requests.ts"
import {
  drainRate,
  type ReservedRequest,
  type TokenLevel,
  TokenReservations,
} from "./token-reservations.ts"

export interface RatesParts extends LeasedRatesParts {
  readonly running: RunningRequests
  /** The id of the process in the database. */
  readonly node: string
}

/**
 * Admits requests within the rate limits of their keys. It counts usage in memory while there is only one machine, and
 * leases usage from the database while there are several machines.
 */
export class Rates {
  readonly #running: RunningRequests
  readonly #local: RateLimiter
  readonly #leased: LeasedRates
  readonly #slots: LeasedSlots
  readonly #clock: () => number
  readonly #reservations = new TokenReservations()
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
   * Admits or rejects a request, and reserves its tokens until `settle`. A rejected request uses nothing.
   * @returns the `x-ratelimit-*` headers of its response, for the configured limits (a promise if it must wait for the
   * database).
   * @throws GatewayError `request_rate_exceeded`, `token_rate_exceeded`, with `retryAfter`.
   */
  check(keyId: string, request: RateRequest): MaybePromise<Record<string, string>> {
    const { requestsPerMinute, tokensPerMinute, tokens } = request
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return {}
    const headers = (this.#isLeased ? this.#leased : this.#local).check(keyId, request)
    if (tokensPerMinute === undefined) return headers
    if (headers instanceof Promise) {
      return headers.then((known) => {
        this.#reserve(keyId, tokensPerMinute, tokens)
        return known
      })
    }
    this.#reserve(keyId, tokensPerMinute, tokens)
    return headers
  }

  /**
   * Rejects a request if the key has used up its requests of the current minute. Nothing is counted.
   * @param limit requests per minute; undefined without a limit.
   * @throws GatewayError `request_rate_exceeded`, with `retryAfter`.
   */
  rejectExceeded(keyId: string, limit: number | undefined, whose: LimitOwner): void {
    if (limit === undefined) return
    const limits = this.#isLeased ? this.#leased : this.#local
    limits.rejectExceeded(keyId, { requestsPerMinute: limit, tokens: 0, whose })
  }

  /**
   * Changes the reserved tokens of a running request. It never rejects the request.
   * @param limit tokens per minute.
   */
  resize(keyId: string, limit: number, before: number, after: number): void {
    if (after < before) {
      this.settle(keyId, { reserved: before - after, used: 0, heldMs: 0 })
    } else if (after > before) {
      this.#adjust(keyId, after - before)
      this.#reserve(keyId, limit, after - before)
    }
  }

  /** Replaces the reserved tokens of a request with the tokens that it used. A failed request uses no tokens. */
  settle(keyId: string, request: ReservedRequest): void {
    this.#adjust(keyId, this.#reservations.end(keyId, request, this.#tokenLevel(keyId)))
  }

  #reserve(keyId: string, limit: number, tokens: number): void {
    const rate = drainRate(limit, this.#isLeased ? 1 : this.#local.share)
    this.#reservations.reserve(keyId, tokens, rate, this.#tokenLevel(keyId))
  }

  #tokenLevel(keyId: string): TokenLevel {
    const now = this.#clock()
    const leased = this.#isLeased ? this.#leased.tokensInUse(keyId, now) : 0
    return { level: leased + this.#local.levelOf(keyId, "tokens"), now }
  }

  #adjust(keyId: string, delta: number): void {
    if (delta === 0) return
    if (this.#isLeased && this.#leased.adjust(keyId, delta)) return
    this.#local.adjust(keyId, delta)
  }
}
