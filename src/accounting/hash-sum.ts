const MODULUS = 2n ** 256n
const HASH_BYTES = 32
const WORD_BYTES = 4
const WORDS = HASH_BYTES / WORD_BYTES

/** A sum of hashes. It does not depend on their order, and differs for different sets. */
export class HashSum {
  #sum: bigint
  count: number

  constructor(sum = "", count = 0) {
    this.#sum = sum === "" ? 0n : BigInt(`0x${sum}`)
    this.count = count
  }

  /** @param hash null for a row from before rows had hashes. Such rows are only counted. */
  add(hash: string | null): void {
    this.count++
    // Ignores malformed hashes of forged rows, because other checks report these rows.
    if (hash !== null && HASH.test(hash)) this.#sum += BigInt(`0x${hash}`)
  }

  /**
   * Adds many hashes at a tenth of the cost of `add`. It sums word by word, because sums of a few thousand words are
   * exact as numbers.
   * @param hashes concatenated.
   * @returns false if the text does not contain `count` hashes. Nothing is added in that case.
   */
  addJoined(hashes: string, count: number): boolean {
    const bytes = Buffer.from(hashes, "hex")
    const length = count * HASH_BYTES
    if (bytes.length !== length || hashes.length !== 2 * length) return false
    const words = Array.from({ length: WORDS }, () => 0)
    for (let at = 0; at < length; at += WORD_BYTES) {
      const word = (at / WORD_BYTES) % WORDS
      words[word] = (words[word] ?? 0) + bytes.readUInt32BE(at)
    }
    let sum = 0n
    for (const word of words) sum = (sum << 32n) + BigInt(word)
    this.#sum += sum
    this.count += count
    return true
  }

  get text(): string {
    return (this.#sum % MODULUS).toString(16).padStart(2 * HASH_BYTES, "0")
  }
}

const HASH = /^[0-9a-f]{64}$/
