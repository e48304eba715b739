import { GatewayError } from "../canon/errors.ts"
import type { LimitOwner } from "./exceeded.ts"
import type { Presence } from "../machine/presence.ts"
import type { SharedMemory } from "../machine/shared-memory.ts"
import { type TableSlot, WordTable } from "../machine/word-table.ts"

/** The hash of a key and a process, and how many requests of the key run there. */
const SLOT_WORDS = 2
const COUNT = 1
/** Seconds after which to retry: a request may end at any time. */
const RETRY_AFTER = 1

/**
 * How many requests of each key run at the same time, in all processes of the machine. Each process counts its own, so that
 * those of a process that dies are no longer counted when it is found to be gone.
 */
export class RunningRequests {
  readonly #table: WordTable
  readonly #presence: Presence
  /** Those of this process, by key. */
  readonly #own = new Map<string, number>()

  constructor(memory: SharedMemory, presence: Presence) {
    this.#table = new WordTable(memory.bigWords("running"), SLOT_WORDS)
    this.#presence = presence
  }

  /**
   * A request begins.
   * @param limit of its key, or what this machine has of it.
   * @returns what to call once when it ends.
   * @throws GatewayError `concurrent_requests_exceeded`
   */
  enter(keyId: string, limit: number, whose: LimitOwner = "this key"): () => void {
    // Counted first: of several processes that do so at the same time, none overlooks the others.
    const leave = this.begin(keyId)
    if (this.#countOf(keyId) <= limit) return leave
    leave()
    throw tooManyRunning(limit, whose)
  }

  /** A request begins, whose limit is kept elsewhere. @returns what to call once when it ends. */
  begin(keyId: string): () => void {
    const name = this.#nameOf(keyId, this.#presence.id)
    // The more requests a slot counts, the more is lost with it.
    const slot = this.#table.make(name, (at) => -Number(this.#table.words[at + COUNT] ?? 0n))
    Atomics.add(this.#table.words, slot.at + COUNT, 1n)
    this.#own.set(keyId, this.own(keyId) + 1)
    return () => {
      const left = this.own(keyId) - 1
      if (left > 0) this.#own.set(keyId, left)
      else this.#own.delete(keyId)
      this.#leave(name, slot)
    }
  }

  /** How many requests of a key run in this process. */
  own(keyId: string): number {
    return this.#own.get(keyId) ?? 0
  }

  /** The keys of which requests run in this process. */
  ownKeys(): string[] {
    return [...this.#own.keys()]
  }

  #leave(name: string, slot: TableSlot): void {
    // Another name may have taken it, in a full table.
    if (!this.#table.holds(slot)) return
    if (Atomics.sub(this.#table.words, slot.at + COUNT, 1n) === 1n) this.#table.free(name, slot.at)
  }

  #countOf(keyId: string): number {
    let count = 0
    for (const process of this.#presence.ids()) {
      const at = this.#table.find(this.#nameOf(keyId, process))
      if (at !== -1) count += Number(Atomics.load(this.#table.words, at + COUNT))
    }
    return count
  }

  #nameOf(keyId: string, process: bigint): string {
    return `${keyId} ${process}`
  }
}

export function tooManyRunning(limit: number, whose: LimitOwner): GatewayError {
  return new GatewayError(
    "concurrent_requests_exceeded",
    `Only ${limit} requests of ${whose} may run at the same time, and as many do. Wait for one to end.`,
    { retryAfter: RETRY_AFTER },
  )
}
