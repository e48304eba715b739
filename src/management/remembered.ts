/**
 * What takes long to find and is asked for again and again. Those who ask at once wait for the same; what was found is good
 * for a multiple of the time that it took: where that is quick, it is always new.
 */
export class Remembered<Value> {
  readonly #find: () => Promise<Value>
  readonly #patience: number
  #found: Promise<Value> | undefined
  /** By `performance.now()`. */
  #goodUntil = Infinity

  /** @param patience for how many times as long as it took to find it is good. */
  constructor(find: () => Promise<Value>, patience: number) {
    this.#find = find
    this.#patience = patience
  }

  get(): Promise<Value> {
    if (this.#found === undefined || this.#goodUntil <= performance.now())
      this.#found = this.#look()
    return this.#found
  }

  async #look(): Promise<Value> {
    const begin = performance.now()
    this.#goodUntil = Infinity
    try {
      return await this.#find()
    } catch (error) {
      // The next who asks tries it again.
      this.#found = undefined
      throw error
    } finally {
      const end = performance.now()
      this.#goodUntil = end + this.#patience * (end - begin)
    }
  }
}
