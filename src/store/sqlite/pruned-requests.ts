import type { Database, Statement } from "bun:sqlite"
import type { SumValues } from "./name-sums.ts"
import type { RequestSegments } from "./request-segments.ts"
import type { RequestSums } from "./request-sums.ts"
import { clearIndex } from "./schemas/reports.ts"

interface PrunedRow {
  readonly until: bigint
  readonly row_count: bigint
  readonly last_row: bigint
}

/** Keeps the index of requests in step with what is removed from the ledger: its sums stay, its list does not. */
export class PrunedRequests {
  readonly #index: Database
  readonly #ledger: Database
  readonly #sums: RequestSums
  readonly #segments: RequestSegments
  readonly #prunedRows: Statement<PrunedRow, []>
  readonly #known: Statement<Omit<PrunedRow, "last_row">, []>

  constructor(
    index: Database,
    ledger: Database,
    { sums, segments }: { readonly sums: RequestSums; readonly segments: RequestSegments },
  ) {
    this.#index = index
    this.#ledger = ledger
    this.#sums = sums
    this.#segments = segments
    this.#prunedRows = ledger.prepare("SELECT until, row_count, last_row FROM pruned_rows")
    this.#known = index.prepare("SELECT until, row_count FROM pruned_rows")
  }

  /**
   * Expects that the ledger is read in one state.
   * @param progress the last row that the index has.
   * @returns whether there was something to do.
   */
  catchUp(progress: bigint): boolean {
    const pruned = this.#prunedRows.get()
    const known = this.#known.get()
    if (!pruned) return false
    if (pruned.row_count === known?.row_count && pruned.until === known.until) return false
    this.#index
      .transaction(() => {
        // Another process may have been quicker.
        if (this.#known.get()?.row_count !== known?.row_count) return
        // All that was removed had been counted, or it is counted now from the sums that were kept.
        if (progress < pruned.last_row) this.#beginAgain()
        this.#index.run("DELETE FROM requests WHERE at < ?", [pruned.until])
        this.#index.run("DELETE FROM request_labels WHERE request_at < ?", [pruned.until])
        this.#segments.removeBefore(pruned.until)
        this.#index.run("UPDATE pruned_rows SET until = ?, row_count = ?", [
          pruned.until,
          pruned.row_count,
        ])
      })
      .immediate()
    return true
  }

  #beginAgain(): void {
    clearIndex(this.#index)
    this.#sums.addRows(this.#sumsOf("pruned_hours"), this.#sumsOf("pruned_key_uses"))
  }

  #sumsOf(table: string): SumValues[] {
    const rows = this.#ledger.query<Record<string, bigint | string>, []>(`SELECT * FROM ${table}`)
    return rows.all().map((row) => Object.values(row))
  }
}
