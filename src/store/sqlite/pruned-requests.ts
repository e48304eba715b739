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

/** Removes requests from the index whose ledger rows were pruned. Their sums are kept. */
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
   * Removes pruned requests. The caller must have begun a read transaction on the ledger.
   * @param progress the last row that is in the index.
   * @returns whether rows were removed.
   */
  catchUp(progress: bigint): boolean {
    const pruned = this.#prunedRows.get()
    const known = this.#known.get()
    if (!pruned) return false
    if (pruned.row_count === known?.row_count && pruned.until === known.until) return false
    this.#index
      .transaction(() => {
        // Another process may have removed the requests in the meantime.
        if (this.#known.get()?.row_count !== known?.row_count) return
        // If pruned rows were never in the index, their requests are counted from stored sums.
        if (progress < pruned.last_row) this.#rebuild()
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

  #rebuild(): void {
    clearIndex(this.#index)
    this.#sums.addRows(this.#sumsOf("pruned_hours"), this.#sumsOf("pruned_key_uses"))
  }

  #sumsOf(table: string): SumValues[] {
    const rows = this.#ledger.query<Record<string, bigint | string>, []>(`SELECT * FROM ${table}`)
    return rows.all().map((row) => Object.values(row))
  }
}
