/** Replaces values above the limit. */
const OTHER = "other"

/** A limited set of label values, because each time series has a cost. */
export class LabelValues {
  readonly #known = new Set<string>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns the value itself, or `other` after the limit was reached. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#limit) return OTHER
    this.#known.add(value)
    return value
  }
}
