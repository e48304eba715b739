import type { SharedMemory } from "../machine/shared-memory.ts"
import { type TableSlot, WordTable } from "../machine/word-table.ts"
import { type Bucket, type Buckets, LONGEST_DEBT, MINUTE } from "./bucket.ts"

/** The key's hash, and for each of its two limits when its bucket is empty and what the limit is. */
const SLOT_WORDS = 5
const REQUESTS = 1
const TOKENS = 3

const NANOSECONDS = 1_000_000
/** Moments are whole nanoseconds: sums of them stray by less than this. */
const ROUNDING = 1_000

/** Keys whose place is remembered. Beyond that, all of them are looked for again. */
const MOST_KEYS = 10_000

/** What of a machine the buckets need. */
export interface SharedPlace {
  readonly memory: SharedMemory
  /** How many processes share it. */
  readonly presence: { readonly count: number }
}

/**
 * The limits of processes that share memory: one bucket for each limit of a key, whoever answers. Their
 * machine has all of a limit, or its processes' part of it where others, of other machines, have a part.
 */
export class SharedBuckets implements Buckets {
  readonly #place: SharedPlace
  readonly #table: WordTable
  readonly #limits: Float64Array
  readonly #slots = new Map<string, TableSlot>()
  share = 1

  constructor(place: SharedPlace) {
    this.#place = place
    this.#table = new WordTable(place.memory.bigWords("rates"), SLOT_WORDS)
    this.#limits = place.memory.floatWords("rates")
  }

  setProcesses(processes: number): void {
    this.share = Math.min(1, this.#place.presence.count / Math.max(1, processes))
  }

  requests(keyId: string, limit: number, now: number): Bucket {
    return this.#bucket(keyId, REQUESTS, limit, now)
  }

  tokens(keyId: string, limit: number, now: number): Bucket {
    return this.#bucket(keyId, TOKENS, limit, now)
  }

  usedTokens(keyId: string): Bucket | undefined {
    const slot = this.#find(keyId)
    const limit = slot === -1 ? 0 : (this.#limits[slot + TOKENS + 1] ?? 0)
    return limit > 0 ? new SharedBucket(this.#table.words, slot + TOKENS, limit) : undefined
  }

  #bucket(keyId: string, word: number, limit: number, now: number): Bucket {
    const known = this.#find(keyId)
    // The emptier a key's buckets, the less is lost with them.
    const slot =
      known === -1 ? this.#table.make(keyId, (at) => -Number(this.#emptyAt(at))).at : known
    const at = slot + word
    const before = this.#limits[at + 1] ?? 0
    const bucket = new SharedBucket(this.#table.words, at, limit)
    if (before === limit) return bucket
    this.#limits[at + 1] = limit
    if (before > 0) bucket.stretch(before / limit, now)
    return bucket
  }

  /** Where the words of a key begin; -1 when it has none. Another key may have taken its slot meanwhile. */
  #find(keyId: string): number {
    const known = this.#slots.get(keyId)
    if (known !== undefined && this.#table.holds(known)) return known.at
    const found = this.#table.slotOf(keyId)
    if (found === undefined) return -1
    if (this.#slots.size >= MOST_KEYS) this.#slots.clear()
    this.#slots.set(keyId, found)
    return found.at
  }

  #emptyAt(slot: number): bigint {
    const { words } = this.#table
    const requests = words[slot + REQUESTS] ?? 0n
    const tokens = words[slot + TOKENS] ?? 0n
    return requests > tokens ? requests : tokens
  }
}

/** A bucket as one word, the moment at which it is empty: so one exchange of that word is all it takes. */
class SharedBucket implements Bucket {
  readonly limit: number
  readonly #words: BigInt64Array
  readonly #at: number

  constructor(words: BigInt64Array, at: number, limit: number) {
    this.#words = words
    this.#at = at
    this.limit = limit
  }

  levelAt(share: number, now: number): number {
    return this.#filled(Atomics.load(this.#words, this.#at), now) / this.#unit(share)
  }

  take(units: number, capacity: number, share: number, now: number): number {
    const unit = this.#unit(share)
    // More than ever fits has to wait until nothing is in use, and becomes a debt.
    const room = units > capacity ? 0 : (capacity - units) * unit
    let wait = 0
    this.#replace(now, (filled) => {
      wait = filled - room > ROUNDING ? (filled - room) / NANOSECONDS : 0
      return wait > 0 ? filled : atMost(filled, units * unit)
    })
    return wait
  }

  add(units: number, share: number, now: number): void {
    this.#replace(now, (filled) => atMost(filled, units * this.#unit(share)))
  }

  /** Another limit: what was used stays what it was. */
  stretch(factor: number, now: number): void {
    this.#replace(now, (filled) => filled * factor)
  }

  /** @param change takes and gives how many nanoseconds it takes to drain. */
  #replace(now: number, change: (filled: number) => number): void {
    for (;;) {
      const before = Atomics.load(this.#words, this.#at)
      const filled = this.#filled(before, now)
      const changed = change(filled)
      if (changed === filled) return
      const after = BigInt(Math.round(now * NANOSECONDS + changed))
      if (Atomics.compareExchange(this.#words, this.#at, before, after) === before) return
    }
  }

  #filled(emptyAt: bigint, now: number): number {
    // A longer one is none that anybody has made: it was written by another clock.
    const filled = Number(emptyAt) - now * NANOSECONDS
    return Math.max(0, Math.min(filled, LONGEST_DEBT * MINUTE * NANOSECONDS))
  }

  /** Nanoseconds in which one unit drains. */
  #unit(share: number): number {
    return (MINUTE * NANOSECONDS) / (this.limit * share)
  }
}

function atMost(filled: number, more: number): number {
  const most = LONGEST_DEBT * MINUTE * NANOSECONDS
  return Math.max(0, Math.min(Math.max(most, filled), filled + more))
}
