import type { MaybePromise } from "../canon/maybe-promise.ts"
import type { RateLimitWrites } from "../store/rate-limits.ts"
import type { LimitOwner } from "./exceeded.ts"
import { type RunningRequests, tooManyRunning } from "./running-requests.ts"

/** Interval at which idle slots are returned, and slots for waiting requests are requested again. */
const IDLE_MS = 50
/**
 * Maximum time that a request waits for slots from other nodes. After an unsuccessful wait, further requests of the key
 * are rejected without waiting for this time.
 */
const WAIT_MS = 300
/** Pause after a failed query of the database. */
const OUTAGE_MS = 1_000

/** A request that is waiting for a slot. */
interface Waiting {
  readonly until: number
  readonly admit: (leave: () => void) => void
  readonly reject: (error: unknown) => void
  readonly whose: LimitOwner
}

/** The slots that this node has leased for one key. */
interface KeySlots {
  readonly id: string
  limit: number
  /** Number of leased slots, including slots of running requests. */
  slots: number
  waiting: Waiting[]
  isLeasing: boolean
  /** Whether the number in the database may differ from `slots`, because the database did not respond. */
  isUncertain: boolean
  /** Requests do not wait until this moment, because earlier requests have waited without success. */
  fullUntil: number
}

export interface LeasedSlotsParts {
  readonly limits: Pick<RateLimitWrites, "leaseSlots">
  readonly running: RunningRequests
  /** The id of the process in the database. */
  readonly node: string
  /** Returns monotonic milliseconds. */
  readonly clock: () => number
  readonly onFailure: (error: unknown) => void
}

/**
 * Limits the concurrent requests of a key on several machines. Each node leases a slot for each request from the
 * database, and returns idle slots (docs/contribute/decisions, 39). A request waits briefly for slots that other nodes
 * return. While the database is unavailable, each machine has its share of the limit, but at least one slot.
 */
export class LeasedSlots {
  machines = 1
  readonly #parts: LeasedSlotsParts
  readonly #keys = new Map<string, KeySlots>()
  #outageUntil = -Infinity
  #timer: Timer | undefined

  constructor(parts: LeasedSlotsParts) {
    this.#parts = parts
  }

  /** Begins a request like `RunningRequests`. Returns a promise if the request must wait for the database. */
  enter(keyId: string, limit: number, whose: LimitOwner = "this key"): MaybePromise<() => void> {
    const { running, clock } = this.#parts
    const now = clock()
    if (now < this.#outageUntil) return this.#enterAlone(keyId, limit, whose)
    const key = this.#keyOf(keyId)
    key.limit = limit
    if (running.own(keyId) < Math.min(key.slots, limit)) return running.begin(keyId)
    if (now < key.fullUntil) throw tooManyRunning(limit, whose)
    return new Promise((admit, reject) => {
      key.waiting.push({ until: now + WAIT_MS, admit, reject, whose })
      void this.#lease(key)
    })
  }

  /** Leases slots for requests that were already running before other machines joined. */
  begin(): void {
    const { running } = this.#parts
    for (const id of running.ownKeys()) {
      const key = this.#keyOf(id)
      key.limit = Math.max(key.limit, running.own(id))
      void this.#lease(key)
    }
  }

  /** Leases slots for a key until no request is waiting. */
  async #lease(key: KeySlots): Promise<void> {
    if (key.isLeasing) return
    key.isLeasing = true
    const { limits, running, node, clock, onFailure } = this.#parts
    try {
      for (;;) {
        const own = running.own(key.id)
        const wanted = own + key.waiting.length
        // Slots that will be returned are not used from now on, because another node may lease them before the response
        // arrives.
        key.slots = Math.min(key.slots, wanted)
        key.slots = await limits.leaseSlots({ ...orderOf(key), node, running: own, wanted })
        key.isUncertain = false
        this.#admit(key)
        if (key.waiting.length === 0) break
        // All requested slots were leased. Requests that arrived in the meantime are part of the next order.
        if (key.slots === wanted) continue
        await Bun.sleep(IDLE_MS)
        this.#rejectLate(key, clock())
        if (key.waiting.length === 0) break
      }
    } catch (error) {
      const now = clock()
      if (now >= this.#outageUntil) onFailure(error)
      this.#outageUntil = now + OUTAGE_MS
      key.slots = 0
      key.isUncertain = true
      this.#decideAlone(key)
    } finally {
      key.isLeasing = false
      this.#sweepLater()
    }
  }

  #admit(key: KeySlots): void {
    const { running } = this.#parts
    const free = Math.min(key.slots, key.limit) - running.own(key.id)
    for (const { admit } of key.waiting.splice(0, Math.max(0, free))) admit(running.begin(key.id))
  }

  /** Rejects requests whose wait has timed out. */
  #rejectLate(key: KeySlots, now: number): void {
    // Slots that became free in the meantime can be used like leased ones.
    this.#admit(key)
    const late = key.waiting.filter(({ until }) => until <= now)
    if (late.length === 0) return
    key.fullUntil = now + WAIT_MS
    key.waiting = key.waiting.filter(({ until }) => until > now)
    for (const { reject, whose } of late) reject(tooManyRunning(key.limit, whose))
  }

  #decideAlone(key: KeySlots): void {
    for (const { admit, reject, whose } of key.waiting.splice(0)) {
      try {
        admit(this.#enterAlone(key.id, key.limit, whose))
      } catch (error) {
        reject(error)
      }
    }
  }

  #enterAlone(keyId: string, limit: number, whose: LimitOwner): () => void {
    const part = Math.max(1, Math.floor(limit / this.machines))
    return this.#parts.running.enter(keyId, part, whose)
  }

  #keyOf(id: string): KeySlots {
    const known = this.#keys.get(id)
    if (known) return known
    const state = { isLeasing: false, isUncertain: false, fullUntil: -Infinity }
    const key: KeySlots = { id, limit: 0, slots: 0, waiting: [], ...state }
    this.#keys.set(id, key)
    return key
  }

  #sweepLater(): void {
    if (this.#timer !== undefined || this.#keys.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sweep()
    }, IDLE_MS)
    this.#timer.unref()
  }

  /** Returns idle slots. After an outage, it also returns slots that the database may still count as leased. */
  #sweep(): void {
    const isAway = this.#parts.clock() < this.#outageUntil
    for (const key of this.#keys.values()) {
      if (key.isLeasing || (key.isUncertain && isAway)) continue
      const own = this.#parts.running.own(key.id)
      if (own < key.slots || key.isUncertain) void this.#lease(key)
      else if (key.slots === 0) this.#keys.delete(key.id)
    }
    this.#sweepLater()
  }
}

function orderOf({ id, limit }: KeySlots): { readonly key: string; readonly limit: number } {
  return { key: id, limit }
}
