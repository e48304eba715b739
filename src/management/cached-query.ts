/**
 * Caches the result of an expensive query. Simultaneous callers share one query. The cache time is a multiple of the
 * query time, so that results of fast queries are cached only briefly.
 */
export class CachedQuery<Value> {
  readonly #find: () => Promise<Value>
  readonly #cacheFactor: number
  #result: Promise<Value> | undefined
  /** The end of the cache time by `performance.now()`. */
  #validUntil = Infinity

  /** @param cacheFactor cache time as a multiple of the query time. */
  constructor(find: () => Promise<Value>, cacheFactor: number) {
    this.#find = find
    this.#cacheFactor = cacheFactor
  }

  get(): Promise<Value> {
    if (this.#result === undefined || this.#validUntil <= performance.now())
      this.#result = this.#query()
    return this.#result
  }

  async #query(): Promise<Value> {
    const begin = performance.now()
    this.#validUntil = Infinity
    try {
      return await this.#find()
    } catch (error) {
      // The next call repeats the query.
      this.#result = undefined
      throw error
    } finally {
      const end = performance.now()
      this.#validUntil = end + this.#cacheFactor * (end - begin)
    }
  }
}
