/** Replaces values beyond the limit. */
const OTHER = "other"

/** A bounded set of label values, because each time series has a cost. */
export class LabelValues {
  readonly #known = new Set<string>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns the value itself, or `other` once the limit is reached. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#limit) return OTHER
    this.#known.add(value)
    return value
  }
}
