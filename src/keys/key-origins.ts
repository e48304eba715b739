/** The origins that the keys of a gateway allow: what a browser asks before a request comes without a key. */
export class KeyOrigins {
  readonly #byKey = new Map<string, readonly string[]>()
  #all: ReadonlySet<string> = new Set()

  /** Whether no key allows any. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  /** Whether one of the keys allows pages of an origin; `*` stands for itself. */
  has(origin: string): boolean {
    return this.#all.has(origin)
  }

  /** @param origins of a key from now on. */
  set(key: string, origins: readonly string[]): void {
    if (origins.length === 0 && !this.#byKey.has(key)) return
    if (origins.length === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, origins)
    this.#all = new Set([...this.#byKey.values()].flat())
  }
}
