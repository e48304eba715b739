import type { Database, Statement } from "bun:sqlite"
import { HashSum } from "../../accounting/hash-sum.ts"

interface SumRow {
  row_count: bigint
  hash_sum: string
}

/** Consecutive rows that are added to the anchor together. */
interface Run {
  /** The position of the row before the first row. */
  readonly after: bigint
  readonly last: bigint
  readonly lastHash: string | null
  readonly hashes: string
  readonly count: number
  readonly batches: number
}

/**
 * Maximum pending batches of a process that writes alone. The anchor is not written with each batch, because this costs
 * one additional page per commit.
 */
const MAX_PENDING_BATCHES = 32
/**
 * After another process has written, the anchor is written with each of this many batches, because the next writer
 * continues from it.
 */
const SHARED_BATCHES = 100

/**
 * The part of the anchor that the writers of the rows maintain. Reading each row again later would cost more than all
 * other work on the anchor. `LedgerAnchor.advance` adds the rows of other writers.
 */
export class AnchorRow {
  readonly #sum: Statement<SumRow, [bigint]>
  readonly #last: Statement<{ row: bigint; hash: string | null }, []>
  readonly #extend: Statement<unknown, (string | bigint | null)[]>
  /** Rows that are committed, but not in the anchor yet. */
  #pending: Run | undefined
  /** The rows that will be pending after the current batch is committed. */
  #posted: Run | undefined
  /** Number of remaining batches before this process is considered the only writer. */
  #sharedBatches = SHARED_BATCHES

  constructor(database: Database) {
    this.#sum = database.prepare("SELECT row_count, hash_sum FROM anchor WHERE last_row = ?")
    this.#last = database.prepare(
      "SELECT rowid AS row, hash FROM entries ORDER BY rowid DESC LIMIT 1",
    )
    this.#extend = database.prepare(
      "UPDATE anchor SET last_row = ?, last_hash = ?, row_count = ?, hash_sum = ?",
    )
  }

  /** Begins a batch inside its transaction. If the previous batch was not committed, its rows are discarded. */
  begin(): void {
    this.#posted = this.#pending
  }

  /**
   * Adds rows to the batch.
   * @param hashes the hashes of all rows that the batch has just inserted.
   */
  extend(hashes: readonly string[]): void {
    const last = this.#last.get()
    if (!last) return
    const after = last.row - BigInt(hashes.length)
    const earlier = this.#posted
    const isNext = earlier?.last === after
    if (earlier && !isNext) {
      this.#write(earlier)
      this.#sharedBatches = SHARED_BATCHES
    }
    const run = {
      after: isNext ? earlier.after : after,
      last: last.row,
      lastHash: last.hash,
      hashes: (isNext ? earlier.hashes : "") + hashes.join(""),
      count: (isNext ? earlier.count : 0) + hashes.length,
      batches: (isNext ? earlier.batches : 0) + 1,
    }
    if (this.#sharedBatches > 0) this.#sharedBatches--
    const waits = this.#sharedBatches === 0 && run.batches < MAX_PENDING_BATCHES
    if (!waits) this.#write(run)
    this.#posted = waits ? run : undefined
  }

  /** Records that the batch was committed. */
  commit(): void {
    this.#pending = this.#posted
  }

  /** Writes the pending rows to the anchor. It must run inside a transaction. */
  flush(): void {
    if (this.#pending) this.#write(this.#pending)
    this.#pending = undefined
  }

  /** Adds rows to the anchor. Does nothing if they do not follow the end of the anchor. */
  #write({ after, last, lastHash, hashes, count }: Run): void {
    const anchor = this.#sum.get(after)
    if (!anchor) return
    const sum = new HashSum(anchor.hash_sum, Number(anchor.row_count))
    if (!sum.addJoined(hashes, count)) return
    this.#extend.run(last, lastHash, BigInt(sum.count), sum.text)
  }
}
