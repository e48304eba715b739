import type { TimePosition } from "../time-position.ts"
import { texts } from "./arrays.ts"
import type { Value } from "./connection-pool.ts"

/** The conditions of a query that is narrowed by what was asked for; values are only ever bound. */
export class Conditions {
  readonly #texts: string[] = []
  readonly values: Value[]

  /** @param values those of a query of which these conditions are another part. */
  constructor(values: Value[] = []) {
    this.values = values
  }

  /** `WHERE a AND b`, or nothing. */
  get where(): string {
    return this.#texts.length === 0 ? "" : `WHERE ${this.#texts.join(" AND ")}`
  }

  /** Adds a condition unless its value is absent: `at >= ?`, with the value at each question mark. */
  add(text: string, value: string | number | bigint | undefined): void {
    if (value === undefined) return
    const place = this.place(typeof value === "number" ? BigInt(value) : value)
    this.#texts.push(text.replaceAll("?", place))
  }

  /** Adds a condition without a value. */
  always(text: string): void {
    this.#texts.push(text)
  }

  /** The column holds one of these; absent: anything. Rows of one value lie in an index in the order of the next column. */
  among(column: string, values: readonly string[] | undefined): void {
    if (values?.length === 1) this.add(`${column} = ?`, values[0])
    else if (values !== undefined) this.#texts.push(`${column} = ANY(${this.place(texts(values))})`)
  }

  /** Where a page starts: `(created_at, id) <`, followed by the position; null: at the start of the list. */
  after(comparison: string, position: TimePosition | null): void {
    if (position === null) return
    const at = this.place(BigInt(position.at))
    this.#texts.push(`${comparison} (${at}, ${this.place(position.id)})`)
  }

  /** Binds a value. @returns its place: `$3`. */
  place(value: Value): string {
    return `$${this.values.push(value)}`
  }
}
