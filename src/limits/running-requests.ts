import { GatewayError } from "../canon/errors.ts"
import type { LimitOwner } from "./exceeded.ts"
import type { Presence } from "../machine/presence.ts"
import type { SharedMemory } from "../machine/shared-memory.ts"
import { WordTable } from "../machine/word-table.ts"

/** Words of a slot: the hash of a key and a process, and the number of the key's running requests in that process. */
const SLOT_WORDS = 2
const COUNT = 1
/** Seconds after which to retry. A running request may end at any time. */
const RETRY_AFTER_SECONDS = 1

/**
 * Counts the concurrent requests of each key in all processes of the machine. Each process has its own counts. The
 * counts of dead processes are ignored.
 */
export class RunningRequests {
  readonly #table: WordTable
  readonly #presence: Presence
  /** Counts of this process by key. */
  readonly #own = new Map<string, number>()

  constructor(memory: SharedMemory, presence: Presence) {
    this.#table = new WordTable(memory.bigWords("running"), SLOT_WORDS)
    this.#presence = presence
  }

  /**
   * Begins a request.
   * @param limit the limit of its key, or this machine's share of it.
   * @returns a function to call once when the request ends.
   * @throws GatewayError `concurrent_requests_exceeded`
   */
  enter(keyId: string, limit: number, whose: LimitOwner = "this key"): () => void {
    // Counted before the check, so that simultaneous processes see each other's requests.
    const leave = this.begin(keyId)
    if (this.#countOf(keyId) <= limit) return leave
    leave()
    throw tooManyRunning(limit, whose)
  }

  /**
   * Begins a request whose limit is checked elsewhere.
   * @returns a function to call once when the request ends.
   */
  begin(keyId: string): () => void {
    const name = this.#nameOf(keyId, this.#presence.id)
    // If the table is full, the slot with the lowest count is replaced.
    const slot = this.#table.make(name, (at) => -Number(this.#table.words[at + COUNT] ?? 0n))
    const count = this.own(keyId) + 1
    this.#own.set(keyId, count)
    this.#write(slot.at, count)
    return () => {
      const left = this.own(keyId) - 1
      if (left > 0) this.#own.set(keyId, left)
      else this.#own.delete(keyId)
      // If the table was full, the slot may now belong to another name.
      const at = this.#table.holds(slot) ? slot.at : this.#table.find(name)
      if (at === -1) return
      this.#write(at, left)
      if (left === 0) this.#table.free(name, at)
    }
  }

  /** Returns the number of a key's requests in this process. */
  own(keyId: string): number {
    return this.#own.get(keyId) ?? 0
  }

  /** Returns the keys with running requests in this process. */
  ownKeys(): string[] {
    return [...this.#own.keys()]
  }

  /** Writes the whole count, because another process may have evicted the slot together with the earlier count. */
  #write(at: number, count: number): void {
    Atomics.store(this.#table.words, at + COUNT, BigInt(count))
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
  const noun = limit === 1 ? "request" : "requests"
  return new GatewayError(
    "concurrent_requests_exceeded",
    `The limit of ${limit} concurrent ${noun} of ${whose} is reached. Wait for one to end.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  )
}
