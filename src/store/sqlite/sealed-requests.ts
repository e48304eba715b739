import type { Database, Statement } from "bun:sqlite"
import type { SumValues } from "./name-sums.ts"
import type { RequestSegments } from "./request-segments.ts"
import type { RequestSums } from "./request-sums.ts"
import { clearIndex } from "./schemas/reports.ts"

interface SealRow {
  readonly until: bigint
  readonly row_count: bigint
  readonly last_row: bigint
}

/** Keeps the index of requests in step with what is removed from the ledger: its sums stay, its list does not. */
export class SealedRequests {
  readonly #index: Database
  readonly #ledger: Database
  readonly #sums: RequestSums
  readonly #segments: RequestSegments
  readonly #seal: Statement<SealRow, []>
  readonly #known: Statement<Omit<SealRow, "last_row">, []>

  constructor(
    index: Database,
    ledger: Database,
    { sums, segments }: { readonly sums: RequestSums; readonly segments: RequestSegments },
  ) {
    this.#index = index
    this.#ledger = ledger
    this.#sums = sums
    this.#segments = segments
    this.#seal = ledger.prepare("SELECT until, row_count, last_row FROM seal")
    this.#known = index.prepare("SELECT until, row_count FROM sealed")
  }

  /**
   * Expects that the ledger is read in one state.
   * @param progress the last row that the index has.
   * @returns whether there was something to do.
   */
  catchUp(progress: bigint): boolean {
    const seal = this.#seal.get()
    const known = this.#known.get()
    if (!seal) return false
    if (seal.row_count === known?.row_count && seal.until === known.until) return false
    this.#index
      .transaction(() => {
        // Another process may have been quicker.
        if (this.#known.get()?.row_count !== known?.row_count) return
        // All that was removed had been counted, or it is counted now from the sums that were kept.
        if (progress < seal.last_row) this.#beginAgain()
        this.#index.run("DELETE FROM requests WHERE at < ?", [seal.until])
        this.#index.run("DELETE FROM request_labels WHERE request_at < ?", [seal.until])
        this.#segments.removeBefore(seal.until)
        this.#index.run("UPDATE sealed SET until = ?, row_count = ?", [seal.until, seal.row_count])
      })
      .immediate()
    return true
  }

  #beginAgain(): void {
    clearIndex(this.#index)
    this.#sums.addRows(this.#sealed("sealed_hours"), this.#sealed("sealed_key_uses"))
  }

  #sealed(table: string): SumValues[] {
    const rows = this.#ledger.query<Record<string, bigint | string>, []>(`SELECT * FROM ${table}`)
    return rows.all().map((row) => Object.values(row))
  }
}
