import type { Database, Statement } from "bun:sqlite"
import { HashSum } from "../anchor.ts"

interface SumRow {
  last_row: bigint
  row_count: bigint
  hash_sum: string
}

/**
 * The anchor in the book, as far as those bring it on who write the rows: to read each of them again later costs
 * more than all else about them. `BookChecks.advanceAnchor` takes in what others have written.
 */
export class AnchorRow {
  readonly #sum: Statement<SumRow, []>
  readonly #last: Statement<{ row: bigint; hash: string | null }, []>
  readonly #extend: Statement<unknown, (string | bigint | null)[]>

  constructor(database: Database) {
    this.#sum = database.prepare("SELECT last_row, row_count, hash_sum FROM anchor")
    this.#last = database.prepare(
      "SELECT rowid AS row, hash FROM entries ORDER BY rowid DESC LIMIT 1",
    )
    this.#extend = database.prepare(
      "UPDATE anchor SET last_row = ?, last_hash = ?, row_count = ?, hash_sum = ?",
    )
  }

  /**
   * Takes in the rows that the transaction has just inserted, unless the anchor is not as far as they begin.
   * @param hashes of all of them.
   */
  extend(hashes: readonly string[]): void {
    const anchor = this.#sum.get()
    const last = this.#last.get()
    if (!anchor || !last) return
    if (anchor.last_row + BigInt(hashes.length) !== last.row) return
    const sum = new HashSum(anchor.hash_sum, Number(anchor.row_count))
    if (!sum.addJoined(hashes.join(""), hashes.length)) return
    this.#extend.run(last.row, last.hash, BigInt(sum.count), sum.text)
  }
}
