import type { Database, Statement } from "bun:sqlite"

/** The values of a row, in the order of its placeholders. */
export type Row = readonly (string | bigint)[]

/** Number of rows in the largest statement. The number of rows in each statement is a power of two. */
const MAX_ROWS = 32

/**
 * Inserts rows with as few statements as possible, because executing a statement costs more than adding a row to it. In
 * a batch of 17 rows, this more than halves the cost of a row.
 */
export class BulkInsert {
  readonly #database: Database
  readonly #into: string
  readonly #row: string
  readonly #statements = new Map<number, Statement<unknown, (string | bigint)[]>>()

  /**
   * @param into the statement up to `VALUES`.
   * @param row the placeholders of one row, in parentheses.
   */
  constructor(database: Database, into: string, row: string) {
    this.#database = database
    this.#into = into
    this.#row = row
  }

  /** Inserts rows. It must run inside a transaction, which must be rolled back if this throws. */
  insert(rows: readonly Row[]): void {
    let from = 0
    for (let count = MAX_ROWS; count >= 1; count /= 2) {
      while (rows.length - from >= count) {
        this.#statement(count).run(...rows.slice(from, from + count).flat())
        from += count
      }
    }
  }

  #statement(count: number): Statement<unknown, (string | bigint)[]> {
    let statement = this.#statements.get(count)
    if (statement === undefined) {
      const rows = Array.from({ length: count }, () => this.#row).join(", ")
      statement = this.#database.prepare(`${this.#into} VALUES ${rows}`)
      this.#statements.set(count, statement)
    }
    return statement
  }
}
