import type { RateGrant, RateOrder, RateUnit } from "../store/rate-limits.ts"
import { LONGEST_DEBT, MINUTE } from "./bucket.ts"
import type { QuotaState } from "./headers.ts"

/** What was leased and not used for this long has drained: it may not be used any more. Milliseconds. */
const TERM = MINUTE
/** The largest and the smallest part of a limit that a node leases in advance. */
const MOST_AHEAD = 1 / 16
const LEAST_AHEAD = 1 / 64
/** In advance a node leases what it has used in so long, milliseconds. */
const AHEAD = 1_000
/** How long a refusal holds without asking again, milliseconds. */
const SHORTEST_REFUSAL = 100
const LONGEST_REFUSAL = 1_000
/** Sums of floats differ from the integers they represent by less than this. */
const ROUNDING = 1e-6

/** What this node has leased of one limit of a key. */
export class Slice {
  readonly unit: RateUnit
  readonly limit: number
  /** Units that may be used; negative when more was used than leased. */
  #left = 0
  /** What of that the order under way pays. */
  #owed = 0
  /** Until when, by the limiter's clock. */
  #until = 0
  /** What all nodes use, as the database last said, and when that was. */
  #level = 0
  #knownAt: number
  /** Units used since then. */
  #used = 0
  /** The part of the limit that this node uses in `AHEAD`, in units. */
  #pace = 0
  #refusesUntil = 0
  /** What was handed over for as long as the database is away, and when. */
  #handedOver = 0
  #handedOverAt = 0
  #refuses = Infinity

  constructor(unit: RateUnit, limit: number, now: number) {
    this.unit = unit
    this.limit = limit
    this.#knownAt = now
  }

  /** Whether a request can be let through without asking. */
  has(units: number, now: number): boolean {
    if (now >= this.#until) this.#left = Math.min(0, this.#left)
    return this.#left >= units - ROUNDING
  }

  use(units: number): void {
    this.#left -= units
    this.#used += units
  }

  /** What a request has counted and not used, or used besides. */
  correct(units: number): void {
    this.#left = Math.max(-this.limit * LONGEST_DEBT, this.#left - units)
    this.#used = Math.max(0, this.#used + units)
  }

  /** Whether more should be leased before it runs out, or some given back. */
  get wantsLease(): boolean {
    return this.#left < this.#ahead() / 2 || this.#left > this.#most()
  }

  /**
   * What to ask of the database for it: what it owes and needs, less what it gives back. One at a time.
   * @param used besides what has been leased.
   * @param waiting what each waiting request needs, in their order.
   */
  order(key: string, used: number, waiting: readonly number[]): RateOrder {
    const { unit, limit } = this
    const [first = 0] = waiting
    const needed = waiting.reduce((sum, units) => sum + units, 0)
    const surplus = this.#surplus(first, needed)
    this.#owed = Math.max(0, -this.#left)
    this.#left -= surplus
    const own = Math.max(0, this.#left)
    return {
      key,
      unit,
      limit,
      used: used + this.#owed - surplus,
      first: Math.max(0, first - own),
      needed: Math.max(0, needed - own),
      ahead: Math.max(0, this.#ahead() - Math.max(0, own - needed)),
    }
  }

  /** @param askedAt before the database was asked. */
  granted({ granted, level }: RateGrant, askedAt: number): void {
    const elapsed = Math.max(1, askedAt - this.#knownAt)
    this.#pace = Math.max(this.#used * Math.min(1, AHEAD / elapsed), this.#pace / 2)
    this.#used = 0
    this.#left += granted + this.#owed
    this.#owed = 0
    this.#level = level
    this.#handedOver = 0
    this.#knownAt = askedAt
    this.#until = askedAt + TERM
  }

  /** The database has no room for a request: those after it need not ask for a while. */
  refuse(units: number, now: number): void {
    const wait = Math.min(LONGEST_REFUSAL, Math.max(SHORTEST_REFUSAL, this.wait(units, now)))
    this.#refuses = units
    this.#refusesUntil = now + wait
  }

  /** Whether a request as large was refused just now. */
  isFull(units: number, now: number): boolean {
    return now < this.#refusesUntil && units >= this.#refuses
  }

  /** Milliseconds until a request fits, as far as is known. */
  wait(units: number, now: number): number {
    const room = units > this.limit ? 0 : this.limit - units
    return Math.max(1, ((this.#levelAt(now) - room) * MINUTE) / this.limit)
  }

  /**
   * The database is away: what is known to be in use is counted by each machine for its part, until it is back.
   * @param share the part of this machine.
   * @returns units to count there.
   */
  handOver(share: number, now: number): number {
    this.#handedOver = Math.max(0, this.#levelAt(now) - Math.max(0, this.#left)) * share
    this.#handedOverAt = now
    return this.#handedOver
  }

  /** Of what was handed over, what has not drained there. The database knows of it. */
  handedOver(share: number, now: number): number {
    const drained = ((now - this.#handedOverAt) * this.limit * share) / MINUTE
    return Math.max(0, this.#handedOver - drained)
  }

  quota(now: number): QuotaState {
    const { limit } = this
    const level = Math.max(0, this.#levelAt(now) - this.#left)
    return {
      limit,
      remaining: Math.max(0, Math.floor(limit - level + ROUNDING)),
      reset: Math.round((level * MINUTE * 1_000) / limit) / 1_000,
    }
  }

  #levelAt(now: number): number {
    return Math.max(0, this.#level - ((now - this.#knownAt) * this.limit) / MINUTE)
  }

  /** Whole requests: a part of one cannot be used. */
  #ahead(): number {
    const ahead = Math.min(this.limit * MOST_AHEAD, Math.max(this.#pace, this.limit * LEAST_AHEAD))
    return this.unit === "requests" ? Math.floor(ahead) : ahead
  }

  /** The most that it keeps. */
  #most(): number {
    return Math.max(1, 2 * this.#ahead(), this.limit * MOST_AHEAD)
  }

  /** What it can give back. What is more than the whole limit fits only when nothing is in use. */
  #surplus(first: number, needed: number): number {
    if (first > this.limit) return Math.max(0, this.#left)
    const spare = this.#left - needed
    return spare > this.#most() ? spare - this.#ahead() : 0
  }
}
