import type { RateLimitWrites, RateOrder, RateUnit } from "../store/rate-limits.ts"
import type { GatewayError } from "../canon/errors.ts"
import { MINUTE } from "./bucket.ts"
import { type LimitOwner, requestsExceeded, tokensExceeded } from "./exceeded.ts"
import { addRequestLimit, addTokenLimit } from "./headers.ts"
import type { RateLimiter, RateRequest } from "./rate-limiter.ts"
import { Slice } from "./slice.ts"

/** Keys remembered. What was leased of a forgotten one drains. */
const MAX_KEYS = 10_000
/** Keys that one step leases for. */
const BATCH = 250
/** How long a request waits for a lease before its node decides alone, and how long it then does not ask; milliseconds. */
const PATIENCE = 1_000

/** What one node has leased for a key. */
interface LeasedKey {
  readonly id: string
  requests?: Slice
  tokens?: Slice
  waiting: Waiting[]
  /** The last outage in which this node has decided alone. */
  outage?: number
}

/** A request that waits for a lease. */
interface Waiting {
  readonly request: RateRequest
  readonly decide: (decision: () => Record<string, string>) => void
}

/** The slices of one request's limits. */
interface Limited {
  readonly requests: Slice | undefined
  readonly tokens: Slice | undefined
  readonly whose: LimitOwner
}

interface SliceOrder {
  readonly slice: Slice
  readonly order: RateOrder
  /** Units that this machine has counted by itself until now. */
  readonly counted: number
}

export interface LeasedRatesParts {
  readonly limits: RateLimitWrites
  /** Decides while the database is away, and says what was used before there were other machines. */
  readonly local: RateLimiter
  /** Monotonic milliseconds. */
  readonly clock: () => number
  readonly onFailure: (error: unknown) => void
}

/**
 * The limits of keys that several machines share: what requests use is leased from the database, a little in advance, so
 * that most need not wait for it (docs/decisions, 39). A request for which too little is leased waits for the next lease.
 * While the database is away, each node has its part of a limit.
 */
export class LeasedRates {
  machines = 1
  readonly #limits: RateLimitWrites
  readonly #local: RateLimiter
  readonly #clock: () => number
  readonly #onFailure: (error: unknown) => void
  readonly #keys = new Map<string, LeasedKey>()
  /** Keys to lease for. */
  readonly #wanting = new Set<LeasedKey>()
  /** The requests for which the lease under way is. */
  #underway: (readonly [LeasedKey, readonly Waiting[]])[] = []
  #isLeasing = false
  #awayUntil = -Infinity
  /** How often the database was away. */
  #outages = 0

  constructor({ limits, local, clock, onFailure }: LeasedRatesParts) {
    this.#limits = limits
    this.#local = local
    this.#clock = clock
    this.#onFailure = onFailure
  }

  /** As that of `RateLimiter`; a promise only where it has to wait for the database. */
  check(
    keyId: string,
    request: RateRequest,
  ): Record<string, string> | Promise<Record<string, string>> {
    const now = this.#clock()
    const key = this.#keyOf(keyId)
    const limited = slicesOf(key, request, now)
    if (this.#isLeased(limited, request, now)) {
      const { requests, tokens } = limited
      if (requests?.wantsLease === true || tokens?.wantsLease === true) this.#want(key)
      return headersOf(limited, now)
    }
    this.#refuseWhatWas(limited, request, now)
    if (now < this.#awayUntil) return this.#checkAlone(key, request)
    return new Promise((resolve, reject) => {
      const decide: Waiting["decide"] = (decision) => {
        try {
          resolve(decision())
        } catch (error) {
          reject(error)
        }
      }
      key.waiting.push({ request, decide })
      this.#want(key)
    })
  }

  /** As that of `Rates`: rejects only what the database has just rejected. */
  refuseExceeded(keyId: string, request: RateRequest): void {
    const now = this.#clock()
    this.#refuseWhatWas(slicesOf(this.#keyOf(keyId), request, now), request, now)
  }

  /** As that of `RateLimiter`. @returns false when nothing was leased for the key. */
  adjust(keyId: string, delta: number, heldFor: number): boolean {
    const key = this.#keys.get(keyId)
    if (!key?.tokens) return false
    const drained = (heldFor * key.tokens.limit) / MINUTE
    key.tokens.correct(delta < 0 ? Math.min(0, delta + drained) : delta)
    if (key.tokens.wantsLease) this.#want(key)
    return true
  }

  /** Uses both, or none. */
  #isLeased({ requests, tokens }: Limited, request: RateRequest, now: number): boolean {
    if (requests && !requests.has(1, now)) return false
    if (tokens && !tokens.has(request.tokens, now)) return false
    requests?.use(1)
    tokens?.use(request.tokens)
    return true
  }

  /** @throws GatewayError when the database has just refused as much. */
  #refuseWhatWas(limited: Limited, { tokens }: RateRequest, now: number): void {
    if (limited.requests?.isFull(1, now) === true) throw requestsRefused(limited, now)
    if (limited.tokens?.isFull(tokens, now) === true) throw tokensRefused(limited, tokens, now)
  }

  #want(key: LeasedKey): void {
    this.#wanting.add(key)
    if (!this.#isLeasing && this.#clock() >= this.#awayUntil) void this.#lease()
  }

  async #lease(): Promise<void> {
    this.#isLeasing = true
    try {
      while (this.#wanting.size > 0) await this.#leaseFor([...this.#wanting].slice(0, BATCH))
    } catch (error) {
      this.#beginOutage(this.#clock() + PATIENCE)
      this.#onFailure(error)
      this.#decideAlone()
    } finally {
      this.#isLeasing = false
    }
  }

  async #leaseFor(keys: readonly LeasedKey[]): Promise<void> {
    const askedAt = this.#clock()
    const orders = keys.flatMap((key) => this.#ordersOf(key))
    this.#underway = keys.map((key) => [key, key.waiting])
    for (const key of keys) {
      key.waiting = []
      this.#wanting.delete(key)
    }
    const timer = setTimeout(() => {
      // Until it answers, however long that takes.
      this.#beginOutage(Infinity)
      this.#decideAlone()
    }, PATIENCE)
    try {
      const wanted = orders.map(({ order }) => order)
      const grants = await this.#limits.lease(wanted, this.machines)
      for (const [index, { slice, order, counted }] of orders.entries()) {
        const grant = grants[index]
        if (!grant) continue
        slice.granted(grant, askedAt)
        this.#local.move(order.key, slice, -counted)
      }
      this.#awayUntil = -Infinity
    } finally {
      clearTimeout(timer)
    }
    for (const [key, waiting] of this.#underway) this.#answer(key, waiting)
    this.#underway = []
  }

  #ordersOf({ id, requests, tokens, waiting }: LeasedKey): SliceOrder[] {
    return [requests, tokens].flatMap((slice) => {
      if (!slice) return []
      const { unit } = slice
      const needs = waiting.flatMap(({ request }) => unitsOf(request, unit))
      const counted = this.#local.levelOf(id, unit)
      const isKnown = slice.handedOver(this.#local.share, this.#clock())
      const order = slice.order(id, Math.max(0, counted - isKnown), needs)
      return [{ slice, order, counted }]
    })
  }

  /** The requests that waited for a lease which is there now. */
  #answer(key: LeasedKey, waiting: readonly Waiting[]): void {
    const now = this.#clock()
    for (const { request, decide } of waiting) {
      decide(() => {
        const limited = slicesOf(key, request, now)
        if (this.#isLeased(limited, request, now)) return headersOf(limited, now)
        throw refused(limited, request, now)
      })
    }
  }

  /** Without the database: those that wait get what is this node's part. */
  #decideAlone(): void {
    const waiting = [...this.#wanting].map((key) => [key, key.waiting] as const)
    for (const [key, requests] of [...this.#underway, ...waiting]) {
      for (const { request, decide } of requests) decide(() => this.#checkAlone(key, request))
    }
    for (const key of this.#wanting) key.waiting = []
    this.#wanting.clear()
    this.#underway = []
  }

  #beginOutage(until: number): void {
    if (this.#awayUntil === -Infinity) this.#outages++
    this.#awayUntil = until
  }

  /** With this node's part of the limits, of which what is known to be in use is taken. */
  #checkAlone(key: LeasedKey, request: RateRequest): Record<string, string> {
    if (key.outage !== this.#outages) {
      key.outage = this.#outages
      const { share } = this.#local
      const now = this.#clock()
      for (const slice of [key.requests, key.tokens]) {
        if (slice) this.#local.move(key.id, slice, slice.handOver(share, now))
      }
    }
    return this.#local.check(key.id, request)
  }

  #keyOf(id: string): LeasedKey {
    const known = this.#keys.get(id)
    if (known) return known
    if (this.#keys.size >= MAX_KEYS) this.#forget()
    const key = { id, waiting: [] }
    this.#keys.set(id, key)
    return key
  }

  /** A tenth in one go, so that the next new keys do not each look for one. */
  #forget(): void {
    let excess = MAX_KEYS / 10
    for (const [id, key] of this.#keys) {
      if (excess-- <= 0) return
      if (!this.#wanting.has(key)) this.#keys.delete(id)
    }
  }
}

/** A limit that has been changed begins with nothing leased. */
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

/** Why a request was refused that the database had no room for. */
function refused(limited: Limited, { tokens }: RateRequest, now: number): GatewayError {
  const { requests } = limited
  if (requests && !requests.has(1, now)) {
    requests.refuse(1, now)
    return requestsRefused(limited, now)
  }
  limited.tokens?.refuse(tokens, now)
  return tokensRefused(limited, tokens, now)
}

function requestsRefused(limited: Limited, now: number): GatewayError {
  const wait = limited.requests?.wait(1, now) ?? 0
  const limit = limited.requests?.limit ?? 0
  const { whose } = limited
  return requestsExceeded({ whose, limit, wait, headers: headersOf(limited, now) })
}

function tokensRefused(limited: Limited, tokens: number, now: number): GatewayError {
  const wait = limited.tokens?.wait(tokens, now) ?? 0
  const limit = limited.tokens?.limit ?? 0
  const { whose } = limited
  const headers = headersOf(limited, now)
  return tokensExceeded({ whose, limit, wait, headers }, tokens, tokens > limit)
}
