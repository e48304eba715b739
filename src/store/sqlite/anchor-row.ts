import type { Database, Statement } from "bun:sqlite"
import { HashSum } from "../../accounting/hash-sum.ts"

interface SumRow {
  row_count: bigint
  hash_sum: string
}

/** Rows that follow each other, as they go into the anchor together. */
interface Run {
  /** The row before the first of them. */
  readonly after: bigint
  readonly last: bigint
  readonly lastHash: string | null
  readonly hashes: string
  readonly count: number
  readonly batches: number
}

/** So many batches of a process that writes alone wait: the anchor is a page more for each commit that writes it. */
const MAX_WAITING = 32
/** As long as another has written within so many batches, each is taken in at once: the next to write goes on from it. */
const COMPANY = 100

/**
 * The anchor in the ledger, as far as it is kept up by those who write the rows: to read each of them again later costs
 * more than all else about them. `LedgerAnchor.advance` takes in what others have written.
 */
export class AnchorRow {
  readonly #sum: Statement<SumRow, [bigint]>
  readonly #last: Statement<{ row: bigint; hash: string | null }, []>
  readonly #extend: Statement<unknown, (string | bigint | null)[]>
  /** In the ledger, and not in its anchor yet. */
  #waiting: Run | undefined
  /** The same when the batch that is being posted is in the ledger. */
  #posted: Run | undefined
  /** Batches until this process is taken to write alone. */
  #company = COMPANY

  constructor(database: Database) {
    this.#sum = database.prepare("SELECT row_count, hash_sum FROM anchor WHERE last_row = ?")
    this.#last = database.prepare(
      "SELECT rowid AS row, hash FROM entries ORDER BY rowid DESC LIMIT 1",
    )
    this.#extend = database.prepare(
      "UPDATE anchor SET last_row = ?, last_hash = ?, row_count = ?, hash_sum = ?",
    )
  }

  /** A batch begins, inside its transaction. The one before, if it was not committed, is not in the ledger. */
  begin(): void {
    this.#posted = this.#waiting
  }

  /** @param hashes of all the rows that the batch has inserted just now. */
  extend(hashes: readonly string[]): void {
    const last = this.#last.get()
    if (!last) return
    const after = last.row - BigInt(hashes.length)
    const earlier = this.#posted
    const isNext = earlier?.last === after
    if (earlier && !isNext) {
      this.#write(earlier)
      this.#company = COMPANY
    }
    const run = {
      after: isNext ? earlier.after : after,
      last: last.row,
      lastHash: last.hash,
      hashes: (isNext ? earlier.hashes : "") + hashes.join(""),
      count: (isNext ? earlier.count : 0) + hashes.length,
      batches: (isNext ? earlier.batches : 0) + 1,
    }
    if (this.#company > 0) this.#company--
    const waits = this.#company === 0 && run.batches < MAX_WAITING
    if (!waits) this.#write(run)
    this.#posted = waits ? run : undefined
  }

  /** The batch is in the ledger. */
  commit(): void {
    this.#waiting = this.#posted
  }

  /** Takes in what waits. Expects to run inside a transaction. */
  flush(): void {
    if (this.#waiting) this.#write(this.#waiting)
    this.#waiting = undefined
  }

  /** Unless the anchor is not as far as the rows begin. */
  #write({ after, last, lastHash, hashes, count }: Run): void {
    const anchor = this.#sum.get(after)
    if (!anchor) return
    const sum = new HashSum(anchor.hash_sum, Number(anchor.row_count))
    if (!sum.addJoined(hashes, count)) return
    this.#extend.run(last, lastHash, BigInt(sum.count), sum.text)
  }
}
