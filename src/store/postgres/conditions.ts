import { texts } from "./arrays.ts"
import type { Value } from "./connection-pool.ts"

/** The conditions of a query with an optional filter. Values are always bound, and never part of the text. */
export class Conditions {
  readonly #texts: string[] = []
  readonly values: Value[]

  /** @param values the bound values of the query that contains these conditions. */
  constructor(values: Value[] = []) {
    this.values = values
  }

  /** The conditions in the form `WHERE a AND b`, or empty text. */
  get where(): string {
    return this.#texts.length === 0 ? "" : `WHERE ${this.#texts.join(" AND ")}`
  }

  /** Adds a condition such as `at >= ?`, unless its value is absent. The value replaces each question mark. */
  add(text: string, value: string | number | bigint | undefined): void {
    if (value === undefined) return
    const place = this.place(typeof value === "number" ? BigInt(value) : value)
    this.#texts.push(text.replaceAll("?", place))
  }

  /** Adds a condition without a value. */
  always(text: string): void {
    this.#texts.push(text)
  }

  /**
   * Restricts a column to the given values; if absent, to any value. A single value uses `=`, so that an index yields
   * the rows in the order of its next column.
   */
  among(column: string, values: readonly string[] | undefined): void {
    if (values?.length === 1) this.add(`${column} = ?`, values[0])
    else if (values !== undefined) this.#texts.push(`${column} = ANY(${this.place(texts(values))})`)
  }

  /**
   * Binds a value.
   * @returns its placeholder, such as `$3`.
   */
  place(value: Value): string {
    return `$${this.values.push(value)}`
  }
}
