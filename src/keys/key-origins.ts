/**
 * The origins that the keys of a gateway allow. Browsers send preflight requests without a key, so the origins of all
 * keys apply.
 */
export class KeyOrigins {
  readonly #byKey = new Map<string, readonly string[]>()
  #all: ReadonlySet<string> = new Set()

  /** Whether no key allows any origin. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  /** Whether one of the keys allows an origin. `*` is only matched literally. */
  has(origin: string): boolean {
    return this.#all.has(origin)
  }

  /**
   * Replaces the origins of a key.
   * @param origins the key's new origins.
   */
  set(key: string, origins: readonly string[]): void {
    if (origins.length === 0 && !this.#byKey.has(key)) return
    if (origins.length === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, origins)
    this.#all = new Set([...this.#byKey.values()].flat())
  }
}
