import { GatewayError } from "../canon/errors.ts"
import { Bucket, MINUTE } from "./bucket.ts"
import { addRequestLimit, addTokenLimit, formatWait, type Standing } from "./headers.ts"

/** What one request would use of its key's limits. */
export interface RateRequest {
  /** Undefined: no limit. */
  readonly requestsPerMinute?: number | undefined
  /** Undefined: no limit. */
  readonly tokensPerMinute?: number | undefined
  /** How many tokens it may use, estimated. `adjust` puts that right. */
  readonly tokens: number
}

interface Buckets {
  requests?: Bucket
  tokens?: Bucket
}

/** Keys remembered. Beyond that, keys that use nothing are forgotten, then those seen first. */
const MOST_KEYS = 100_000

/**
 * Requests and tokens per minute of each key. A key may use a whole minute's limit at once, and then
 * as much as drains: in no minute more than the limit and that burst.
 *
 * Processes that share the callers each take the limit divided by their number, so that together
 * they never pass it, as long as the limit is at least their number. A key with a smaller one may
 * send one request to each process, which then waits its full time.
 *
 * A request whose tokens alone are more than a whole minute's limit is not refused for good, since
 * its tokens are an estimate: it waits until nothing is in use, and the debt delays what follows.
 */
export class RateLimiter {
  readonly #keys = new Map<string, Buckets>()
  readonly #clock: () => number
  readonly #mostKeys: number
  #processes = 1
  /**
   * The part of a limit that counts as used for keys not seen before: after another process has
   * gone, what it let through is not known here.
   */
  #unseen = 0
  #unseenAt = 0

  /** @param clock milliseconds that never run backwards. */
  constructor(clock: () => number = () => performance.now(), mostKeys = MOST_KEYS) {
    this.#clock = clock
    this.#mostKeys = mostKeys
  }

  /** Tells how many processes share the limits. */
  setProcesses(processes: number): void {
    const before = this.#processes
    const after = Math.max(1, Math.floor(processes))
    if (after === before) return
    const now = this.#clock()
    const gained = Math.max(0, 1 / after - 1 / before)
    for (const buckets of this.#keys.values()) {
      for (const bucket of [buckets.requests, buckets.tokens]) {
        bucket?.drain(1 / before, now)
        // What a gone process left of its share has to drain in, lest it be used twice.
        if (bucket) bucket.level += gained * bucket.limit
      }
    }
    this.#unseen = this.#unseenPart(now) + gained
    this.#unseenAt = now
    this.#processes = after
  }

  /**
   * Lets a request pass or refuses it. One that is refused uses nothing.
   * @returns the `x-ratelimit-*` headers of its answer, for the limits that are set.
   * @throws GatewayError `request_rate_exceeded`, `token_rate_exceeded`, with `retryAfter`.
   */
  check(keyId: string, request: RateRequest): Record<string, string> {
    const { requestsPerMinute, tokensPerMinute, tokens } = request
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return {}
    const now = this.#clock()
    const buckets = this.#bucketsOf(keyId, now)
    const requestBucket =
      requestsPerMinute === undefined
        ? undefined
        : (buckets.requests = this.#ready(buckets.requests, requestsPerMinute, now))
    const tokenBucket =
      tokensPerMinute === undefined
        ? undefined
        : (buckets.tokens = this.#ready(buckets.tokens, tokensPerMinute, now))
    const share = 1 / this.#processes
    const requestWait = requestBucket?.wait(1, this.#requestCapacity(requestBucket), share) ?? 0
    const tokenWait = tokenBucket?.wait(tokens, tokenBucket.limit * share, share) ?? 0
    if (requestWait > 0) throw this.#requestsExceeded(buckets, requestWait)
    if (tokenWait > 0) throw this.#tokensExceeded(buckets, tokens, tokenWait)
    requestBucket?.add(1, share)
    tokenBucket?.add(tokens, share)
    return this.#headers(requestBucket, tokenBucket)
  }

  /**
   * Puts the tokens of a request right once its real usage is known.
   * @param delta tokens really used less those it was checked with; a request that came to nothing
   * gives all of them back. Never brings back more than is in use.
   * @param heldFor milliseconds since the check. What has drained meanwhile is not given back again.
   */
  adjust(keyId: string, delta: number, heldFor = 0): void {
    const bucket = this.#keys.get(keyId)?.tokens
    if (!bucket || delta === 0) return
    const share = 1 / this.#processes
    bucket.drain(share, this.#clock())
    const drained = (heldFor * bucket.limit * share) / MINUTE
    bucket.add(delta < 0 ? Math.min(0, delta + drained) : delta, share)
  }

  #bucketsOf(keyId: string, now: number): Buckets {
    const known = this.#keys.get(keyId)
    if (known) return known
    if (this.#keys.size >= this.#mostKeys) this.#forget(now)
    const buckets: Buckets = {}
    this.#keys.set(keyId, buckets)
    return buckets
  }

  #ready(bucket: Bucket | undefined, limit: number, now: number): Bucket {
    if (bucket === undefined) return new Bucket(limit, this.#unseenPart(now) * limit, now)
    bucket.drain(1 / this.#processes, now)
    bucket.limit = limit
    return bucket
  }

  #unseenPart(now: number): number {
    if (this.#unseen === 0) return 0
    return Math.max(0, this.#unseen - (now - this.#unseenAt) / MINUTE / this.#processes)
  }

  /** A share of less than one request would never let any pass. */
  #requestCapacity(bucket: Bucket): number {
    return Math.max(1, bucket.limit / this.#processes)
  }

  #forget(now: number): void {
    const share = 1 / this.#processes
    for (const [keyId, buckets] of this.#keys) {
      buckets.requests?.drain(share, now)
      buckets.tokens?.drain(share, now)
      const used = (buckets.requests?.level ?? 0) + (buckets.tokens?.level ?? 0)
      if (used === 0) this.#keys.delete(keyId)
    }
    // A tenth at once, so that the next new keys do not each look at all of them.
    let excess = this.#keys.size - Math.floor(this.#mostKeys * 0.9)
    for (const keyId of this.#keys.keys()) {
      if (excess-- <= 0) break
      this.#keys.delete(keyId)
    }
  }

  #headers(requests: Bucket | undefined, tokens: Bucket | undefined): Record<string, string> {
    const headers: Record<string, string> = {}
    if (requests) {
      addRequestLimit(headers, this.#standing(requests, this.#requestCapacity(requests)))
    }
    if (tokens) addTokenLimit(headers, this.#standing(tokens, tokens.limit / this.#processes))
    return headers
  }

  #standing(bucket: Bucket, capacity: number): Standing {
    // The other processes are taken to be as busy as this one.
    const left = Math.floor((capacity - bucket.level) * this.#processes + 1e-6)
    return {
      limit: bucket.limit,
      remaining: Math.max(0, Math.min(bucket.limit, left)),
      reset: bucket.reset(1 / this.#processes),
    }
  }

  #requestsExceeded(buckets: Buckets, wait: number): GatewayError {
    const limit = buckets.requests?.limit ?? 0
    return this.#exceeded(
      "request_rate_exceeded",
      `Rate limit reached for requests of this key: ${limit} per minute.`,
      buckets,
      wait,
    )
  }

  #tokensExceeded(buckets: Buckets, tokens: number, wait: number): GatewayError {
    const limit = buckets.tokens?.limit ?? 0
    const size = Math.ceil(tokens)
    const message =
      tokens > limit / this.#processes
        ? `Rate limit reached for tokens of this key: ${limit} per minute. This request may use ${size}, more than fits beside others: it runs once no other tokens are in use.`
        : `Rate limit reached for tokens of this key: ${limit} per minute, and this request may use ${size}.`
    return this.#exceeded("token_rate_exceeded", message, buckets, wait)
  }

  #exceeded(
    kind: "request_rate_exceeded" | "token_rate_exceeded",
    message: string,
    buckets: Buckets,
    wait: number,
  ): GatewayError {
    return new GatewayError(kind, `${message} Try again in ${formatWait(wait)}.`, {
      retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
      headers: this.#headers(buckets.requests, buckets.tokens),
    })
  }
}
