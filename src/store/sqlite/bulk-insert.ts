import type { Database, Statement } from "bun:sqlite"

/** What one row binds, in the order of its placeholders. */
export type Row = readonly (string | bigint)[]

/** Rows of the largest statement; a power of two, as all are. */
const LARGEST = 32

/**
 * Inserts rows by as few statements as there can be. To begin a statement costs more than a row in
 * it does: of a row in a batch of 17, less than half is left.
 */
export class BulkInsert {
  readonly #database: Database
  readonly #into: string
  readonly #row: string
  readonly #statements = new Map<number, Statement<unknown, (string | bigint)[]>>()

  /** @param into the statement up to `VALUES`. @param row the values of one row, in parentheses. */
  constructor(database: Database, into: string, row: string) {
    this.#database = database
    this.#into = into
    this.#row = row
  }

  /** Runs inside a transaction, which has to be rolled back when this throws. */
  insert(rows: readonly Row[]): void {
    let from = 0
    for (let count = LARGEST; count >= 1; count /= 2) {
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
