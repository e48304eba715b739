const INITIAL_SIZE = 1_024
/** Knuth's multiplier, which distributes neighboring numbers. */
const SPREAD = 0x9e37_79b1
const EMPTY = -1

/**
 * Numbers keys from 0 in the order of their first use. It is a hash table of integers, several times faster than a
 * `Map`.
 */
export class Slots {
  #keys = new Int32Array(INITIAL_SIZE)
  #slots = new Int32Array(INITIAL_SIZE).fill(EMPTY)
  #shift = 32 - Math.log2(INITIAL_SIZE)
  #known = new Int32Array(INITIAL_SIZE)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Replaces keys with their slots. New keys get new slots. */
  takeAll(keys: Int32Array, length: number): void {
    for (let entry = 0; entry < length; entry++) keys[entry] = this.take(keys[entry] ?? 0)
  }

  /** Returns the slot of a key; -1 if the key is unknown. */
  find(key: number): number {
    return this.#slots[this.#placeOf(key)] ?? EMPTY
  }

  /** Returns the slot of a key. An unknown key gets a new slot. */
  take(key: number): number {
    const place = this.#placeOf(key)
    const known = this.#slots[place] ?? EMPTY
    if (known !== EMPTY) return known
    const slot = this.#size++
    this.#keys[place] = key
    this.#slots[place] = slot
    if (slot === this.#known.length) this.#known = grown(this.#known)
    this.#known[slot] = key
    if (this.#size * 2 > this.#slots.length) this.#rehash()
    return slot
  }

  keyOf(slot: number): number {
    return this.#known[slot] ?? 0
  }

  /** Returns the position of a key, or the free position where it belongs. */
  #placeOf(key: number): number {
    const mask = this.#slots.length - 1
    let place = Math.imul(key, SPREAD) >>> this.#shift
    while (this.#slots[place] !== EMPTY && this.#keys[place] !== key) place = (place + 1) & mask
    return place
  }

  #rehash(): void {
    const length = this.#slots.length * 2
    this.#keys = new Int32Array(length)
    this.#slots = new Int32Array(length).fill(EMPTY)
    this.#shift--
    for (let slot = 0; slot < this.#size; slot++) {
      const key = this.#known[slot] ?? 0
      const place = this.#placeOf(key)
      this.#keys[place] = key
      this.#slots[place] = slot
    }
  }
}

function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
