import type { RateLimitWrites, RateOrder, RateUnit } from "../store/rate-limits.ts"
import type { GatewayError } from "../canon/errors.ts"
import { type LimitOwner, requestsExceeded, tokensExceeded } from "./exceeded.ts"
import { addRequestLimit, addTokenLimit } from "./headers.ts"
import type { RateLimiter, RateRequest } from "./rate-limiter.ts"
import { Slice } from "./slice.ts"

/** Maximum keys in memory. Leases of removed keys drain. */
const MAX_KEYS = 10_000
/** Maximum keys per lease request. */
const LEASE_BATCH = 250
/**
 * Maximum time that a request waits for a lease. Afterwards its node decides alone, and pauses for the same time before
 * the next lease request.
 */
const MAX_WAIT_MS = 1_000

/** A node's leases for one key. */
interface LeasedKey {
  readonly id: string
  requests?: Slice
  tokens?: Slice
  waiting: Waiting[]
  /** The number of the last outage during which this node decided alone. */
  outage?: number
}

/** A request that is waiting for a lease. */
interface Waiting {
  readonly request: RateRequest
  readonly decide: (decision: () => Record<string, string>) => void
}

/** The leased parts of one request's limits. */
interface Limited {
  readonly requests: Slice | undefined
  readonly tokens: Slice | undefined
  readonly whose: LimitOwner
}

interface SliceOrder {
  readonly slice: Slice
  readonly order: RateOrder
  /** Units that this machine has already counted locally. */
  readonly counted: number
}

export interface LeasedRatesParts {
  readonly limits: RateLimitWrites
  /**
   * The limiter that decides while the database is unavailable. It contains the usage from before other machines
   * joined.
   */
  readonly local: RateLimiter
  /** Returns monotonic milliseconds. */
  readonly clock: () => number
  readonly onFailure: (error: unknown) => void
  /** Replaces the maximum time that a request waits for a lease, but not the pause afterwards; set by tests. */
  readonly maxWaitMs?: number
}

/**
 * Rate limits of keys that several machines serve. Each machine leases usage from the database slightly in advance, so
 * that most requests do not wait for the database (docs/contribute/decisions, 39). A request that exceeds the lease
 * waits for the next lease. While the database is unavailable, each node uses its share of the limit.
 */
export class LeasedRates {
  machines = 1
  readonly #parts: LeasedRatesParts
  readonly #keys = new Map<string, LeasedKey>()
  readonly #needingLease = new Set<LeasedKey>()
  /** The requests that the current lease request serves. */
  #inProgress: (readonly [LeasedKey, readonly Waiting[]])[] = []
  #isLeasing = false
  #outageUntil = -Infinity
  /** Number of database outages so far. */
  #outages = 0

  constructor(parts: LeasedRatesParts) {
    this.#parts = parts
  }

  /** Checks a request like `RateLimiter`. Returns a promise only if the request must wait for the database. */
  check(
    keyId: string,
    request: RateRequest,
  ): Record<string, string> | Promise<Record<string, string>> {
    const now = this.#parts.clock()
    const key = this.#keyOf(keyId)
    const limited = slicesOf(key, request, now)
    if (this.#isLeased(limited, request, now)) {
      const { requests, tokens } = limited
      if (requests?.needsLease === true || tokens?.needsLease === true) this.#requestLease(key)
      return headersOf(limited, now)
    }
    this.#rejectRepeated(limited, request, now)
    if (now < this.#outageUntil) return this.#checkAlone(key, request)
    return new Promise((resolve, reject) => {
      const decide: Waiting["decide"] = (decision) => {
        try {
          resolve(decision())
        } catch (error) {
          reject(error)
        }
      }
      key.waiting.push({ request, decide })
      this.#requestLease(key)
    })
  }

  /**
   * Rejects a request like `Rates.rejectExceeded`, but only if the database has just rejected another request of the
   * key.
   */
  rejectExceeded(keyId: string, request: RateRequest): void {
    const now = this.#parts.clock()
    this.#rejectRepeated(slicesOf(this.#keyOf(keyId), request, now), request, now)
  }

  /**
   * Adjusts the usage like `RateLimiter`.
   * @returns false if nothing was leased for the key.
   */
  adjust(keyId: string, delta: number): boolean {
    const key = this.#keys.get(keyId)
    if (!key?.tokens) return false
    key.tokens.correct(delta)
    if (key.tokens.needsLease) this.#requestLease(key)
    return true
  }

  /** Returns the tokens that all machines use, as last reported to this machine. */
  tokensInUse(keyId: string, now: number): number {
    return this.#keys.get(keyId)?.tokens?.usedAt(now) ?? 0
  }

  /** Uses units of both limits, or of neither limit if the request exceeds a lease. */
  #isLeased({ requests, tokens }: Limited, request: RateRequest, now: number): boolean {
    if (requests && !requests.has(1, now)) return false
    if (tokens && !tokens.has(request.tokens, now)) return false
    requests?.use(1)
    tokens?.use(request.tokens)
    return true
  }

  /**
   * Rejects a request if the database has just rejected a request of this size.
   * @throws GatewayError
   */
  #rejectRepeated(limited: Limited, { tokens }: RateRequest, now: number): void {
    if (limited.requests?.isFull(1, now) === true) throw requestsRejected(limited, now)
    if (limited.tokens?.isFull(tokens, now) === true) throw tokensRejected(limited, tokens, now)
  }

  #requestLease(key: LeasedKey): void {
    this.#needingLease.add(key)
    if (!this.#isLeasing && this.#parts.clock() >= this.#outageUntil) void this.#lease()
  }

  async #lease(): Promise<void> {
    this.#isLeasing = true
    try {
      while (this.#needingLease.size > 0)
        await this.#leaseFor([...this.#needingLease].slice(0, LEASE_BATCH))
    } catch (error) {
      this.#beginOutage(this.#parts.clock() + MAX_WAIT_MS)
      this.#parts.onFailure(error)
      this.#decideAlone()
    } finally {
      this.#isLeasing = false
    }
  }

  async #leaseFor(keys: readonly LeasedKey[]): Promise<void> {
    const askedAt = this.#parts.clock()
    const orders = keys.flatMap((key) => this.#ordersOf(key))
    this.#inProgress = keys.map((key) => [key, key.waiting])
    for (const key of keys) {
      key.waiting = []
      this.#needingLease.delete(key)
    }
    const timer = setTimeout(() => {
      // The outage lasts until the database responds, regardless of how long that takes.
      this.#beginOutage(Infinity)
      this.#decideAlone()
    }, this.#parts.maxWaitMs ?? MAX_WAIT_MS)
    try {
      const wanted = orders.map(({ order }) => order)
      const grants = await this.#parts.limits.lease(wanted, this.machines)
      for (const [index, { slice, order, counted }] of orders.entries()) {
        const grant = grants[index]
        if (!grant) continue
        slice.granted(grant, askedAt)
        this.#parts.local.move(order.key, slice, -counted)
      }
      this.#outageUntil = -Infinity
    } finally {
      clearTimeout(timer)
    }
    for (const [key, waiting] of this.#inProgress) this.#response(key, waiting)
    this.#inProgress = []
  }

  #ordersOf({ id, requests, tokens, waiting }: LeasedKey): SliceOrder[] {
    return [requests, tokens].flatMap((slice) => {
      if (!slice) return []
      const { unit } = slice
      const needs = waiting.flatMap(({ request }) => unitsOf(request, unit))
      const counted = this.#parts.local.levelOf(id, unit)
      const isKnown = slice.undrainedHandOver(this.#parts.local.share, this.#parts.clock())
      const order = slice.order(id, Math.max(0, counted - isKnown), needs)
      return [{ slice, order, counted }]
    })
  }

  /** Decides the requests that waited for this lease. */
  #response(key: LeasedKey, waiting: readonly Waiting[]): void {
    const now = this.#parts.clock()
    for (const { request, decide } of waiting) {
      decide(() => {
        const limited = slicesOf(key, request, now)
        if (this.#isLeased(limited, request, now)) return headersOf(limited, now)
        throw rejected(limited, request, now)
      })
    }
  }

  /** Decides waiting requests without the database, by this node's share of the limits. */
  #decideAlone(): void {
    const waiting = [...this.#needingLease].map((key) => [key, key.waiting] as const)
    for (const [key, requests] of [...this.#inProgress, ...waiting]) {
      for (const { request, decide } of requests) decide(() => this.#checkAlone(key, request))
    }
    for (const key of this.#needingLease) key.waiting = []
    this.#needingLease.clear()
    this.#inProgress = []
  }

  #beginOutage(until: number): void {
    if (this.#outageUntil === -Infinity) this.#outages++
    this.#outageUntil = until
  }

  /** Checks a request against this node's share of the limits. The usage that is already known is subtracted. */
  #checkAlone(key: LeasedKey, request: RateRequest): Record<string, string> {
    if (key.outage !== this.#outages) {
      key.outage = this.#outages
      const { share } = this.#parts.local
      const now = this.#parts.clock()
      for (const slice of [key.requests, key.tokens]) {
        if (slice) this.#parts.local.move(key.id, slice, slice.handOver(share, now))
      }
    }
    return this.#parts.local.check(key.id, request)
  }

  #keyOf(id: string): LeasedKey {
    const known = this.#keys.get(id)
    if (known) return known
    if (this.#keys.size >= MAX_KEYS) this.#forget()
    const key = { id, waiting: [] }
    this.#keys.set(id, key)
    return key
  }

  /** Removes a tenth of the keys together, so that the next new keys do not each search for a key to remove. */
  #forget(): void {
    let excess = MAX_KEYS / 10
    for (const [id, key] of this.#keys) {
      if (excess-- <= 0) return
      if (!this.#needingLease.has(key)) this.#keys.delete(id)
    }
  }
}

/** Returns the leased parts of a request's limits. If a limit has changed, its lease starts empty. */
function slicesOf(key: LeasedKey, request: RateRequest, now: number): Limited {
  const { requestsPerMinute, tokensPerMinute, whose = "this key" } = request
  if (requestsPerMinute !== undefined && key.requests?.limit !== requestsPerMinute) {
    key.requests = new Slice("requests", requestsPerMinute, now)
  }
  if (tokensPerMinute !== undefined && key.tokens?.limit !== tokensPerMinute) {
    key.tokens = new Slice("tokens", tokensPerMinute, now)
  }
  return {
    requests: requestsPerMinute === undefined ? undefined : key.requests,
    tokens: tokensPerMinute === undefined ? undefined : key.tokens,
    whose,
  }
}

function unitsOf(request: RateRequest, unit: RateUnit): readonly number[] {
  const { requestsPerMinute, tokensPerMinute, tokens } = request
  if (unit === "requests") return requestsPerMinute === undefined ? [] : [1]
  return tokensPerMinute === undefined ? [] : [tokens]
}

function headersOf({ requests, tokens }: Limited, now: number): Record<string, string> {
  const headers: Record<string, string> = {}
  if (requests) addRequestLimit(headers, requests.quota(now))
  if (tokens) addTokenLimit(headers, tokens.quota(now))
  return headers
}

/** Returns the error for a request that the database has rejected. */
function rejected(limited: Limited, { tokens }: RateRequest, now: number): GatewayError {
  const { requests } = limited
  if (requests && !requests.has(1, now)) {
    requests.reject(1, now)
    return requestsRejected(limited, now)
  }
  limited.tokens?.reject(tokens, now)
  return tokensRejected(limited, tokens, now)
}

function requestsRejected(limited: Limited, now: number): GatewayError {
  const wait = limited.requests?.wait(1, now) ?? 0
  const limit = limited.requests?.limit ?? 0
  const { whose } = limited
  return requestsExceeded({ whose, limit, wait, headers: headersOf(limited, now) })
}

function tokensRejected(limited: Limited, tokens: number, now: number): GatewayError {
  const wait = limited.tokens?.wait(tokens, now) ?? 0
  const limit = limited.tokens?.limit ?? 0
  const { whose } = limited
  const headers = headersOf(limited, now)
  return tokensExceeded({ whose, limit, wait, headers }, tokens, tokens > limit)
}
