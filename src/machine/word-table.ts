/**
 * Maximum number of slots that are searched for a name, starting at the slot of its hash. Tables are rarely so full
 * that this limit matters.
 */
const WINDOW = 16

/**
 * The slot of a name, and the two halves of the name's hash. The slot is valid as long as its first word is this hash.
 */
export interface TableSlot {
  readonly at: number
  readonly low: number
  readonly high: number
}

/**
 * A table in shared memory. Each name has a slot of words, which starts with the name's hash. Slots are taken and freed
 * atomically, so that processes may do this concurrently.
 */
export class WordTable {
  readonly words: BigInt64Array
  /**
   * The same words in halves, starting with the lower half. Comparing halves takes a tenth of the time of comparing big
   * integers.
   */
  readonly #halves: Int32Array
  readonly #slotWords: number
  readonly #slots: number

  /** @param words the words of the entire table. A remainder that is too short for a slot is unused. */
  constructor(words: BigInt64Array, slotWords: number) {
    this.words = words
    this.#halves = new Int32Array(words.buffer, words.byteOffset, 2 * words.length)
    this.#slotWords = slotWords
    this.#slots = Math.floor(words.length / slotWords)
  }

  /** Returns the position of a name's words; -1 if the name has no slot. */
  find(name: string): number {
    return this.slotOf(name)?.at ?? -1
  }

  /** Returns a slot that can be cached. `holds` checks whether it still belongs to the name. */
  slotOf(name: string): TableSlot | undefined {
    const hash = hashOf(name)
    for (let step = 0; step < WINDOW; step++) {
      const at = this.#slot(hash, step)
      if (Atomics.load(this.words, at) === hash) return slotOf(hash, at)
    }
    return undefined
  }

  /** Whether a slot still belongs to its name. */
  holds({ at, low, high }: TableSlot): boolean {
    return this.#halves[2 * at] === low && this.#halves[2 * at + 1] === high
  }

  /**
   * Returns the slot of a name. A name without a slot gets a free slot, or the slot of an evicted name. Its words are
   * then 0.
   * @param rank returns how unimportant a slot is. If all possible slots are taken, the one with the highest rank is
   * evicted.
   * @returns the slot, and whether this call has taken a free slot.
   */
  make(name: string, rank: (at: number) => number): TableSlot & { readonly wasFree: boolean } {
    const hash = hashOf(name)
    for (;;) {
      const { at, owner } = this.#bestOf(hash, rank)
      if (owner === hash) return { ...slotOf(hash, at), wasFree: false }
      // Another process was faster, so the search is repeated.
      if (Atomics.compareExchange(this.words, at, owner, hash) !== owner) continue
      // The words of a free slot are already 0, and another process may have found and used them by now.
      if (owner !== 0n) this.#clear(at)
      return { ...slotOf(hash, at), wasFree: owner === 0n }
    }
  }

  /**
   * Frees a slot.
   * @returns whether this call has freed it; false if another process was faster.
   */
  free(name: string, at: number): boolean {
    const hash = hashOf(name)
    if (Atomics.load(this.words, at) !== hash) return false
    this.#clear(at)
    return Atomics.compareExchange(this.words, at, hash, 0n) === hash
  }

  #clear(at: number): void {
    this.words.fill(0n, at + 1, at + this.#slotWords)
  }

  /** Returns the slot of the name, or else a free slot, or else the least important slot. */
  #bestOf(hash: bigint, rank: (at: number) => number): { at: number; owner: bigint } {
    let best = { at: this.#slot(hash, 0), owner: 0n }
    let bestRank = -Infinity
    for (let step = 0; step < WINDOW; step++) {
      const at = this.#slot(hash, step)
      const owner = Atomics.load(this.words, at)
      if (owner === hash) return { at, owner }
      const worth = owner === 0n ? Infinity : rank(at)
      if (worth <= bestRank) continue
      best = { at, owner }
      bestRank = worth
    }
    return best
  }

  #slot(hash: bigint, step: number): number {
    return ((Number(BigInt.asUintN(31, hash)) + step) % this.#slots) * this.#slotWords
  }
}

function slotOf(hash: bigint, at: number): TableSlot {
  return { at, low: half(hash), high: half(hash >> 32n) }
}

function half(word: bigint): number {
  return Number(BigInt.asIntN(32, word))
}

/** Returns the hash of a name. It is never 0, which marks a free slot. */
function hashOf(name: string): bigint {
  return BigInt.asIntN(64, BigInt(Bun.hash(name))) || 1n
}
