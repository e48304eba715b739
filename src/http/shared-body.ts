/** Maximum bodies that are kept, one for each public address of the gateway. */
const MAX_BODIES = 8

/**
 * Bodies that many responses share. The runtime copies a text for each connection that does not read it, but not a
 * `Blob`.
 */
export class SharedBodies {
  readonly #bodies = new Map<string, Blob>()

  /**
   * Returns the body for a key.
   * @param build returns its text.
   */
  get(key: string, build: () => string): Blob {
    const known = this.#bodies.get(key)
    if (known !== undefined) return known
    if (this.#bodies.size >= MAX_BODIES) this.#bodies.clear()
    const body = new Blob([build()])
    this.#bodies.set(key, body)
    return body
  }
}
