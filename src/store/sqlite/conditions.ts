/** The conditions of a query with an optional filter. Values are always bound, and never part of the text. */
export class Conditions {
  readonly #texts: string[] = []
  readonly values: (string | bigint)[] = []

  /** The conditions in the form `WHERE a AND b`, or empty text. */
  get where(): string {
    return this.#texts.length === 0 ? "" : `WHERE ${this.#texts.join(" AND ")}`
  }

  /**
   * Adds a condition unless its value is absent.
   * @param times number of placeholders in the condition.
   */
  add(text: string, value: string | number | bigint | undefined, times = 1): void {
    if (value === undefined) return
    const bound = typeof value === "number" ? BigInt(value) : value
    this.#texts.push(text)
    for (let time = 0; time < times; time++) this.values.push(bound)
  }

  /** Adds a condition without a value. */
  always(text: string): void {
    this.#texts.push(text)
  }

  /** Restricts a column to the given values; if absent, to any value. */
  among(column: string, values: readonly string[] | undefined): void {
    if (values === undefined) return
    this.#texts.push(`${column} IN (${values.map(() => "?").join(", ")})`)
    this.values.push(...values)
  }
}
