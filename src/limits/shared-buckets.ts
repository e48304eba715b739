import { MINUTE_MS } from "#contract/durations.ts"
import type { SharedMemory } from "../machine/shared-memory.ts"
import { type TableSlot, WordTable } from "../machine/word-table.ts"
import type { RateUnit } from "../store/rate-limits.ts"
import { type Bucket, type Buckets, MAX_DEBT_MINUTES } from "./bucket.ts"

/**
 * Words of a slot: the key's hash, and two words for each of the key's two limits. The first word is the moment when
 * the bucket is empty, and the second is the limit.
 */
const SLOT_WORDS = 5
const REQUESTS = 1
const TOKENS = 3

const NANOSECONDS = 1_000_000
/** Tolerance for rounding errors of moments, in nanoseconds. */
const ROUNDING = 1_000

/** Maximum keys whose slot is cached. When the limit is exceeded, all slots are looked up again. */
const MAX_KEYS = 10_000

/** The slot of a key, and the buckets in use. */
interface KeyBuckets {
  readonly slot: TableSlot
  requests?: SharedBucket
  tokens?: SharedBucket
}

/**
 * The limits of processes that share memory. Each limit of a key has one bucket for all processes. The machine has the
 * whole limit, or its share if there are other machines.
 */
export class SharedBuckets implements Buckets {
  readonly #table: WordTable
  readonly #limits: Float64Array
  readonly #keys = new Map<string, KeyBuckets>()
  share = 1

  constructor(memory: SharedMemory) {
    this.#table = new WordTable(memory.bigWords("rates"), SLOT_WORDS)
    this.#limits = memory.floatWords("rates")
  }

  setMachines(machines: number): void {
    this.share = 1 / Math.max(1, machines)
  }

  requests(keyId: string, limit: number, now: number): Bucket {
    const buckets = this.#find(keyId) ?? this.#make(keyId)
    const { requests, slot } = buckets
    if (requests?.limit === limit && this.#isLimit(slot.at + REQUESTS, limit)) return requests
    return (buckets.requests = this.#bucket(slot.at + REQUESTS, limit, now))
  }

  tokens(keyId: string, limit: number, now: number): Bucket {
    const buckets = this.#find(keyId) ?? this.#make(keyId)
    const { tokens, slot } = buckets
    if (tokens?.limit === limit && this.#isLimit(slot.at + TOKENS, limit)) return tokens
    return (buckets.tokens = this.#bucket(slot.at + TOKENS, limit, now))
  }

  used(keyId: string, unit: RateUnit): Bucket | undefined {
    const buckets = this.#find(keyId)
    if (buckets === undefined) return undefined
    const at = buckets.slot.at + (unit === "tokens" ? TOKENS : REQUESTS)
    const limit = this.#limits[at + 1] ?? 0
    if (limit <= 0) return undefined
    const known = buckets[unit]
    if (known?.limit === limit) return known
    return (buckets[unit] = new SharedBucket(this.#table.words, at, limit))
  }

  #isLimit(at: number, limit: number): boolean {
    return this.#limits[at + 1] === limit
  }

  /**
   * Returns the bucket of a limit. The stored limit may differ if another process or an earlier configuration has set
   * it.
   */
  #bucket(at: number, limit: number, now: number): SharedBucket {
    const before = this.#limits[at + 1] ?? 0
    const bucket = new SharedBucket(this.#table.words, at, limit)
    if (before === limit) return bucket
    this.#limits[at + 1] = limit
    if (before > 0) bucket.stretch(before / limit, now)
    return bucket
  }

  /** Returns the buckets of a key; undefined if another key has taken its slot. */
  #find(keyId: string): KeyBuckets | undefined {
    const known = this.#keys.get(keyId)
    if (known !== undefined && this.#table.holds(known.slot)) return known
    const slot = this.#table.slotOf(keyId)
    return slot === undefined ? undefined : this.#keep(keyId, slot)
  }

  #make(keyId: string): KeyBuckets {
    // If the table is full, the slot whose buckets are emptiest is replaced.
    const slot = this.#table.make(keyId, (at) => -Number(this.#emptyAt(at)))
    return this.#keep(keyId, slot)
  }

  #keep(keyId: string, slot: TableSlot): KeyBuckets {
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
    const buckets = { slot }
    this.#keys.set(keyId, buckets)
    return buckets
  }

  #emptyAt(slot: number): bigint {
    const { words } = this.#table
    const requests = words[slot + REQUESTS] ?? 0n
    const tokens = words[slot + TOKENS] ?? 0n
    return requests > tokens ? requests : tokens
  }
}

/** A bucket in one word, which is the moment when the bucket is empty. The word is updated by compare-and-exchange. */
class SharedBucket implements Bucket {
  readonly limit: number
  readonly #words: BigInt64Array
  readonly #at: number
  /** The level and time when this process last took units, so that the level need not be read again immediately. */
  #filledTo = 0
  #filledAt = -1

  constructor(words: BigInt64Array, at: number, limit: number) {
    this.#words = words
    this.#at = at
    this.limit = limit
  }

  levelAt(share: number, now: number): number {
    const filled =
      now === this.#filledAt ? this.#filledTo : filledBy(Atomics.load(this.#words, this.#at), now)
    return filled / this.#unit(share)
  }

  take(units: number, capacity: number, share: number, now: number): number {
    const unit = this.#unit(share)
    // A request that can never fit waits until nothing is in use. Its excess delays later requests.
    const room = units > capacity ? 0 : (capacity - units) * unit
    for (;;) {
      const before = Atomics.load(this.#words, this.#at)
      const filled = filledBy(before, now)
      if (filled - room > ROUNDING) return (filled - room) / NANOSECONDS
      if (this.#exchange(before, atMost(filled, units * unit), now)) return 0
    }
  }

  add(units: number, share: number, now: number): void {
    const more = units * this.#unit(share)
    for (;;) {
      const before = Atomics.load(this.#words, this.#at)
      if (this.#exchange(before, atMost(filledBy(before, now), more), now)) return
    }
  }

  /** Adapts the bucket to a changed limit. Past usage keeps its units. */
  stretch(factor: number, now: number): void {
    for (;;) {
      const before = Atomics.load(this.#words, this.#at)
      if (this.#exchange(before, filledBy(before, now) * factor, now)) return
    }
  }

  /**
   * Updates the word unless it has changed.
   * @param filled nanoseconds until the bucket is empty.
   * @returns false if another process was faster.
   */
  #exchange(before: bigint, filled: number, now: number): boolean {
    const after = BigInt(Math.round(now * NANOSECONDS + filled))
    if (Atomics.compareExchange(this.#words, this.#at, before, after) !== before) return false
    this.#filledTo = filled
    this.#filledAt = now
    return true
  }

  /** Returns the time in nanoseconds until one unit has drained. */
  #unit(share: number): number {
    return (MINUTE_MS * NANOSECONDS) / (this.limit * share)
  }
}

/** Returns the nanoseconds until a bucket is empty. */
function filledBy(emptyAt: bigint, now: number): number {
  // No process writes a time beyond the maximum excess, so a later time was written with another clock.
  const filled = Number(emptyAt) - now * NANOSECONDS
  return Math.max(0, Math.min(filled, MAX_DEBT_MINUTES * MINUTE_MS * NANOSECONDS))
}

function atMost(filled: number, more: number): number {
  const max = MAX_DEBT_MINUTES * MINUTE_MS * NANOSECONDS
  return Math.max(0, Math.min(Math.max(max, filled), filled + more))
}
