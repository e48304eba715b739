/** Keys are looked up in pages of this many keys, which are created when a key of the page is first used. */
const PAGE_BITS = 15
const PAGE_SIZE = 2 ** PAGE_BITS
const PAGES = 2 ** (31 - PAGE_BITS)
const INITIAL_SIZE = 1_024

/**
 * Numbers keys from 0 in the order of their first use. It is a table of integers, several times faster than a `Map`.
 * Ids of names that are first used at about the same time are close to each other, so most lookups find the table in
 * the processor's cache.
 */
export class Slots {
  /** For each page, its place in `#pages` plus 1; 0 if the page does not exist. */
  readonly #directory = new Uint16Array(PAGES)
  /** For each key of a page, its slot plus 1; 0 for an unknown key. */
  readonly #pages: Int32Array[] = []
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
    const page = this.#pages[(this.#directory[key >>> PAGE_BITS] ?? 0) - 1]
    return page === undefined ? -1 : (page[key & (PAGE_SIZE - 1)] ?? 0) - 1
  }

  /**
   * Returns the slot of a key. An unknown key gets a new slot.
   * @param key an integer from 0 to 2^31 - 1.
   */
  take(key: number): number {
    const page = this.#pages[(this.#directory[key >>> PAGE_BITS] ?? 0) - 1] ?? this.#addPage(key)
    const place = key & (PAGE_SIZE - 1)
    const known = page[place] ?? 0
    if (known !== 0) return known - 1
    const slot = this.#size++
    page[place] = slot + 1
    if (slot === this.#known.length) this.#known = grown(this.#known)
    this.#known[slot] = key
    return slot
  }

  keyOf(slot: number): number {
    return this.#known[slot] ?? 0
  }

  #addPage(key: number): Int32Array {
    const page = new Int32Array(PAGE_SIZE)
    this.#directory[key >>> PAGE_BITS] = this.#pages.push(page)
    return page
  }
}

function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
