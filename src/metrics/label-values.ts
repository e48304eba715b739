/** Stands for what is beyond the limit. */
const OTHER = "other"

/** The values of a label, of which there are only so many: a time series is never free. */
export class LabelValues {
  readonly #known = new Set<string>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The value itself, or `other`. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#limit) return OTHER
    this.#known.add(value)
    return value
  }
}
