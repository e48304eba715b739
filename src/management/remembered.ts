/**
 * Caches the result of an expensive query. Simultaneous callers share one query. A result is cached for a multiple of
 * the query time, so quick queries are hardly cached.
 */
export class Remembered<Value> {
  readonly #find: () => Promise<Value>
  readonly #patience: number
  #found: Promise<Value> | undefined
  /** By `performance.now()`. */
  #goodUntil = Infinity

  /** @param patience cache time as a multiple of the query time. */
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
      // The next call repeats the query.
      this.#found = undefined
      throw error
    } finally {
      const end = performance.now()
      this.#goodUntil = end + this.#patience * (end - begin)
    }
  }
}
