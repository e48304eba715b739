import type { MaybePromise } from "../canon/maybe-promise.ts"
import type { RateLimitWrites } from "../store/rate-limits.ts"
import type { LimitOwner } from "./exceeded.ts"
import { type RunningRequests, tooManyRunning } from "./running-requests.ts"

/** How long slots stay leased that are not used. */
const IDLE_MS = 50
/** How long a request waits for slots that other nodes give back, and how long after that no request waits. */
const WAIT_MS = 300
/** How long the database is not asked after a failure. */
const OUTAGE_MS = 1_000

/** A request that waits for a slot. */
interface Waiting {
  readonly until: number
  readonly admit: (leave: () => void) => void
  readonly refuse: (error: unknown) => void
  readonly whose: LimitOwner
}

/** What this node may run of a key. */
interface KeySlots {
  readonly id: string
  limit: number
  /** Leased; those that run here are of these. */
  slots: number
  waiting: Waiting[]
  isAsking: boolean
  /** Whether the database may have another number than `slots`, since it did not answer. */
  isUnknown: boolean
  /** Until when requests do not wait, since others have waited in vain. */
  fullUntil: number
}

export interface LeasedSlotsParts {
  readonly limits: Pick<RateLimitWrites, "leaseSlots">
  readonly running: RunningRequests
  /** The process, as the database knows it. */
  readonly node: string
  /** Monotonic milliseconds. */
  readonly clock: () => number
  readonly onFailure: (error: unknown) => void
}

/**
 * How many requests of a key run at the same time on several machines: each node leases a slot for each from the
 * database, and gives back what is idle (docs/decisions, 39). A request waits a moment for slots that others give back.
 * While the database is away, each machine has its part of a limit, and at least one.
 */
export class LeasedSlots {
  machines = 1
  readonly #parts: LeasedSlotsParts
  readonly #keys = new Map<string, KeySlots>()
  #awayUntil = -Infinity
  #timer: Timer | undefined

  constructor(parts: LeasedSlotsParts) {
    this.#parts = parts
  }

  /** Like that of `RunningRequests`; a promise if it has to wait for the database. */
  enter(keyId: string, limit: number, whose: LimitOwner = "this key"): MaybePromise<() => void> {
    const { running, clock } = this.#parts
    const now = clock()
    if (now < this.#awayUntil) return this.#enterAlone(keyId, limit, whose)
    const key = this.#keyOf(keyId)
    key.limit = limit
    if (running.own(keyId) < Math.min(key.slots, limit)) return running.begin(keyId)
    if (now < key.fullUntil) throw tooManyRunning(limit, whose)
    return new Promise((admit, refuse) => {
      key.waiting.push({ until: now + WAIT_MS, admit, refuse, whose })
      void this.#ask(key)
    })
  }

  /** Leases slots for what runs here already: other machines have come. */
  begin(): void {
    const { running } = this.#parts
    for (const id of running.ownKeys()) {
      const key = this.#keyOf(id)
      key.limit = Math.max(key.limit, running.own(id))
      void this.#ask(key)
    }
  }

  /** Leases what a key needs now, until nothing waits for it any more. */
  async #ask(key: KeySlots): Promise<void> {
    if (key.isAsking) return
    key.isAsking = true
    const { limits, running, node, clock, onFailure } = this.#parts
    try {
      for (;;) {
        const own = running.own(key.id)
        const wanted = own + key.waiting.length
        // Returned slots are not used from now on: another node may lease them before the answer arrives.
        key.slots = Math.min(key.slots, wanted)
        key.slots = await limits.leaseSlots({ ...orderOf(key), node, running: own, wanted })
        key.isUnknown = false
        this.#admit(key)
        if (key.waiting.length === 0) break
        // Nothing was short: those that wait came in the meantime, and were not asked for yet.
        if (key.slots === wanted) continue
        await Bun.sleep(IDLE_MS)
        this.#refuseLate(key, clock())
        if (key.waiting.length === 0) break
      }
    } catch (error) {
      const now = clock()
      if (now >= this.#awayUntil) onFailure(error)
      this.#awayUntil = now + OUTAGE_MS
      key.slots = 0
      key.isUnknown = true
      this.#decideAlone(key)
    } finally {
      key.isAsking = false
      this.#sweepLater()
    }
  }

  #admit(key: KeySlots): void {
    const { running } = this.#parts
    const free = Math.min(key.slots, key.limit) - running.own(key.id)
    for (const { admit } of key.waiting.splice(0, Math.max(0, free))) admit(running.begin(key.id))
  }

  /** Rejects requests whose wait has timed out. */
  #refuseLate(key: KeySlots, now: number): void {
    // Slots that were freed here since are as good as leased ones.
    this.#admit(key)
    const late = key.waiting.filter(({ until }) => until <= now)
    if (late.length === 0) return
    key.fullUntil = now + WAIT_MS
    key.waiting = key.waiting.filter(({ until }) => until > now)
    for (const { refuse, whose } of late) refuse(tooManyRunning(key.limit, whose))
  }

  #decideAlone(key: KeySlots): void {
    for (const { admit, refuse, whose } of key.waiting.splice(0)) {
      try {
        admit(this.#enterAlone(key.id, key.limit, whose))
      } catch (error) {
        refuse(error)
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
    const state = { isAsking: false, isUnknown: false, fullUntil: -Infinity }
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

  /** Returns idle slots, including those that the database may still count as leased after an outage. */
  #sweep(): void {
    const isAway = this.#parts.clock() < this.#awayUntil
    for (const key of this.#keys.values()) {
      if (key.isAsking || (key.isUnknown && isAway)) continue
      const own = this.#parts.running.own(key.id)
      if (own < key.slots || key.isUnknown) void this.#ask(key)
      else if (key.slots === 0) this.#keys.delete(key.id)
    }
    this.#sweepLater()
  }
}

function orderOf({ id, limit }: KeySlots): { readonly key: string; readonly limit: number } {
  return { key: id, limit }
}
