/** Maximum slots after its hash that a name may use; a table is rarely full enough for this to matter. */
const WINDOW = 16

/** The slot of a name, as long as its first word is the name's hash, in two halves. */
export interface TableSlot {
  readonly at: number
  readonly low: number
  readonly high: number
}

/**
 * A table in shared memory: each name has a slot of words, which begins with the name's hash. Slots are taken and
 * freed atomically, so that processes may do so concurrently.
 */
export class WordTable {
  readonly words: BigInt64Array
  /** The same words in halves, the lower first: comparing those costs a tenth of comparing big integers. */
  readonly #halves: Int32Array
  readonly #slotWords: number
  readonly #slots: number

  /** @param words of the entire table; a remainder that does not fill a slot is unused. */
  constructor(words: BigInt64Array, slotWords: number) {
    this.words = words
    this.#halves = new Int32Array(words.buffer, words.byteOffset, 2 * words.length)
    this.#slotWords = slotWords
    this.#slots = Math.floor(words.length / slotWords)
  }

  /** Returns the start of the words of a name; -1 if it has no slot. */
  find(name: string): number {
    return this.slotOf(name)?.at ?? -1
  }

  /** Returns a slot to remember: `holds` checks whether it still belongs to the name. */
  slotOf(name: string): TableSlot | undefined {
    const hash = hashOf(name)
    for (let step = 0; step < WINDOW; step++) {
      const at = this.#slot(hash, step)
      if (Atomics.load(this.words, at) === hash) return slotOf(hash, at)
    }
    return undefined
  }

  /** Whether a slot still belongs to the name it was found for. */
  holds({ at, low, high }: TableSlot): boolean {
    return this.#halves[2 * at] === low && this.#halves[2 * at + 1] === high
  }

  /**
   * Gives a name its words, all 0: in a free slot, or in one that is evicted.
   * @param rank how little a slot matters: in a full window the highest is evicted.
   * @returns also whether a free slot was used: not when another process has just done so.
   */
  make(name: string, rank: (at: number) => number): TableSlot & { readonly wasFree: boolean } {
    const hash = hashOf(name)
    for (;;) {
      const { at, owner } = this.#bestOf(hash, rank)
      if (owner === hash) return { ...slotOf(hash, at), wasFree: false }
      // Another process was faster: search a second time.
      if (Atomics.compareExchange(this.words, at, owner, hash) !== owner) continue
      // The words of a free slot are 0, and another process may have found the name and used them by now.
      if (owner !== 0n) this.#clear(at)
      return { ...slotOf(hash, at), wasFree: owner === 0n }
    }
  }

  /** Frees a slot. @returns whether this call did, and not another process. */
  free(name: string, at: number): boolean {
    const hash = hashOf(name)
    if (Atomics.load(this.words, at) !== hash) return false
    this.#clear(at)
    return Atomics.compareExchange(this.words, at, hash, 0n) === hash
  }

  #clear(at: number): void {
    this.words.fill(0n, at + 1, at + this.#slotWords)
  }

  /** The name's own slot, else a free one, else the one that matters least. */
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

/** Never 0, which marks a free slot. */
function hashOf(name: string): bigint {
  return BigInt.asIntN(64, BigInt(Bun.hash(name))) || 1n
}
