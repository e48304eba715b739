import { MINUTE_MS } from "#contract/durations.ts"
import type { GatewayError } from "../canon/errors.ts"
import type { RateUnit } from "../store/rate-limits.ts"
import type { Bucket, Buckets } from "./bucket.ts"
import { type LimitOwner, requestsExceeded, tokensExceeded } from "./exceeded.ts"
import { addRequestLimit, addTokenLimit, type QuotaState } from "./headers.ts"
import { PrivateBuckets } from "./private-buckets.ts"

/** The usage of one request, which counts towards its key's limits. */
export interface RateRequest {
  /** The owner of the limits; if absent, the request's key. */
  readonly whose?: LimitOwner
  /** Undefined if there is no limit. */
  readonly requestsPerMinute?: number | undefined
  /** Undefined if there is no limit. */
  readonly tokensPerMinute?: number | undefined
  /** Tokens that the request may use. They are reserved until its actual tokens are known. */
  readonly tokens: number
}

/** A limit of a key. */
export interface RateLimit {
  readonly unit: RateUnit
  /** Units per minute. */
  readonly limit: number
}

/** The buckets for one request. */
interface Limited {
  readonly requests: Bucket | undefined
  readonly tokens: Bucket | undefined
  readonly now: number
  readonly whose: LimitOwner
}

/**
 * Limits requests and tokens per minute of each key. A key may use the limit of a full minute in one burst, and
 * afterwards as much as has drained. In any minute, it therefore uses at most twice the limit. The processes of one
 * machine share the buckets (docs/contribute/design-notes.md#processes-of-one-machine). Each of several machines has
 * its share of the limit.
 *
 * A request whose tokens alone exceed a full minute's limit is not rejected permanently, because its tokens are an
 * estimate. It waits until nothing is in use, and its tokens above the limit delay later requests.
 */
export class RateLimiter {
  readonly #buckets: Buckets
  readonly #clock: () => number

  /** @param clock returns monotonic milliseconds. Shared buckets need a shared clock. */
  constructor(
    clock: () => number = () => performance.now(),
    buckets: Buckets = new PrivateBuckets(),
  ) {
    this.#clock = clock
    this.#buckets = buckets
  }

  /** The fraction of each limit that only this machine may use. */
  get share(): number {
    return this.#buckets.share
  }

  /** Sets the number of machines that share the limits. */
  setMachines(machines: number): void {
    this.#buckets.setMachines(machines, this.#clock())
  }

  /**
   * Admits or rejects a request. A rejected request uses nothing.
   * @returns the `x-ratelimit-*` headers of its response, for the configured limits.
   * @throws GatewayError `request_rate_exceeded`, `token_rate_exceeded`, with `retryAfter`.
   */
  check(keyId: string, request: RateRequest): Record<string, string> {
    const { requestsPerMinute, tokensPerMinute, tokens, whose = "this key" } = request
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return {}
    const now = this.#clock()
    const buckets = this.#buckets
    const { share } = buckets
    const limited: Limited = {
      now,
      whose,
      requests:
        requestsPerMinute === undefined
          ? undefined
          : buckets.requests(keyId, requestsPerMinute, now),
      tokens:
        tokensPerMinute === undefined ? undefined : buckets.tokens(keyId, tokensPerMinute, now),
    }
    const requestWait = limited.requests?.take(1, this.#capacity(limited.requests), share, now) ?? 0
    if (requestWait > 0) throw this.#requestsExceeded(limited, requestWait)
    const tokenWait = limited.tokens?.take(tokens, limited.tokens.limit * share, share, now) ?? 0
    if (tokenWait > 0) {
      limited.requests?.add(-1, share, now)
      throw this.#tokensExceeded(limited, tokens, tokenWait)
    }
    return this.#headers(limited)
  }

  /** Rejects requests like `Rates.rejectExceeded`. */
  rejectExceeded(keyId: string, request: RateRequest): void {
    this.check(keyId, request)
    this.#buckets.used(keyId, "requests")?.add(-1, this.#buckets.share, this.#clock())
  }

  /**
   * Adds tokens to the usage, or returns tokens.
   * @param delta negative to return tokens. The usage never falls below zero.
   */
  adjust(keyId: string, delta: number): void {
    if (delta === 0) return
    this.#buckets.used(keyId, "tokens")?.add(delta, this.#buckets.share, this.#clock())
  }

  /** Returns the units in use of a limit that the key had in its last request. */
  levelOf(keyId: string, unit: RateUnit): number {
    return this.#buckets.used(keyId, unit)?.levelAt(this.#buckets.share, this.#clock()) ?? 0
  }

  /** Adds units that were previously counted elsewhere. Negative units are counted elsewhere from now on. */
  move(keyId: string, { unit, limit }: RateLimit, units: number): void {
    if (units === 0) return
    const now = this.#clock()
    this.#buckets[unit](keyId, limit, now).add(units, this.#buckets.share, now)
  }

  /** Returns the maximum burst, which is at least one request. A smaller share would never admit any request. */
  #capacity(requests: Bucket): number {
    return Math.max(1, requests.limit * this.#buckets.share)
  }

  #headers({ requests, tokens, now }: Limited): Record<string, string> {
    const headers: Record<string, string> = {}
    if (requests) {
      addRequestLimit(headers, this.#quota(requests, this.#capacity(requests), now))
    }
    if (tokens) {
      addTokenLimit(headers, this.#quota(tokens, tokens.limit * this.#buckets.share, now))
    }
    return headers
  }

  #quota(bucket: Bucket, capacity: number, now: number): QuotaState {
    const { share } = this.#buckets
    const { limit } = bucket
    const level = bucket.levelAt(share, now)
    // Assumes that processes with the other shares of the limit are equally busy.
    const left = Math.floor((capacity - level) / share + 1e-6)
    return {
      limit,
      remaining: Math.max(0, Math.min(limit, left)),
      // Shared buckets count nanoseconds, so the time is rounded to microseconds.
      reset: Math.round((level * MINUTE_MS * 1_000) / (limit * share)) / 1_000,
    }
  }

  #requestsExceeded(limited: Limited, wait: number): GatewayError {
    const limit = limited.requests?.limit ?? 0
    const { whose } = limited
    return requestsExceeded({ whose, limit, wait, headers: this.#headers(limited) })
  }

  #tokensExceeded(limited: Limited, tokens: number, wait: number): GatewayError {
    const limit = limited.tokens?.limit ?? 0
    const isLarge = tokens > limit * this.#buckets.share
    const { whose } = limited
    const headers = this.#headers(limited)
    return tokensExceeded({ whose, limit, wait, headers }, tokens, isLarge)
  }
}
