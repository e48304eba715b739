import type { MachineClock } from "./machine-clock.ts"
import type { SharedMemory } from "./shared-memory.ts"

const SLOT_WORDS = 8
/**
 * Milliseconds without a heartbeat after which a process is considered dead. A blocked process counts as running until
 * then.
 */
const GONE_AFTER = 60_000

/** The processes on this machine that serve from the same data folder. */
export class Presence implements Disposable {
  readonly #owners: BigInt64Array
  readonly #seenAt: Float64Array
  readonly #clock: MachineClock
  readonly id = BigInt(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) + 1n
  #slot = -1

  constructor(memory: SharedMemory, clock: MachineClock) {
    this.#owners = memory.bigWords("presence")
    this.#seenAt = memory.floatWords("presence")
    this.#clock = clock
    this.beat()
  }

  /** Announces this process. It is called every few seconds. */
  beat(): void {
    this.#clock.adjust()
    if (this.#slot === -1 || this.#owners[this.#slot] !== this.id) this.#slot = this.#takeSlot()
    if (this.#slot !== -1) this.#seenAt[this.#slot + 1] = this.#clock.now()
  }

  /** Number of processes, including this one. */
  get count(): number {
    return this.ids().length
  }

  /** Returns the ids of all processes, including this one. */
  ids(): bigint[] {
    const ids = [this.id]
    for (let at = 0; at < this.#owners.length; at += SLOT_WORDS) {
      if (!this.#isHere(at)) continue
      const id = Atomics.load(this.#owners, at)
      if (id !== this.id) ids.push(id)
    }
    return ids
  }

  [Symbol.dispose](): void {
    if (this.#slot === -1) return
    Atomics.compareExchange(this.#owners, this.#slot, this.id, 0n)
    this.#slot = -1
  }

  #takeSlot(): number {
    for (let at = 0; at < this.#owners.length; at += SLOT_WORDS) {
      const owner = Atomics.load(this.#owners, at)
      if (this.#isHere(at)) continue
      this.#seenAt[at + 1] = this.#clock.now()
      if (Atomics.compareExchange(this.#owners, at, owner, this.id) === owner) return at
    }
    return -1
  }

  #isHere(at: number): boolean {
    const seenAt = this.#seenAt[at + 1] ?? 0
    // Skips a slot that was never used.
    if (seenAt === 0) return false
    return Atomics.load(this.#owners, at) !== 0n && this.#clock.now() - seenAt < GONE_AFTER
  }
}
