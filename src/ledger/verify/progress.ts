import type { EntryRecord } from "../../accounting/chained-records.ts"
import { HashSum } from "../../accounting/hash-sum.ts"
import type { PrunedRows } from "../../store/integrity.ts"
import type { Checkpoint } from "./checkpoint.ts"

/** The last checked entry of an account. */
export type LastEntry = Pick<EntryRecord, "number" | "hash" | "balance">

/** Options of a verification. */
export interface VerifyOptions {
  /** The checkpoint to continue from. Rows before it are not read again. */
  readonly from?: Checkpoint | undefined
  /** Called between two pages. */
  readonly onPage?: ((progress: VerifyProgress) => void | Promise<void>) | undefined
}

/** The progress of a verification. */
export class VerifyProgress {
  /** Number of rows read. Each row is read twice: as an entry or a receipt, and in the check of all rows. */
  done = 0
  /** The approximate number of rows to read. It is not exact, because rows are written during the verification. */
  readonly total: number
  /** The last checked entry of each account. */
  readonly accounts: Map<string, LastEntry>
  /** The amounts that charges drew on each budget. */
  readonly spent: Map<string, bigint>
  /** The progress of the check of all rows. */
  rows: Checkpoint["rows"]
  readonly #prunedRows: number
  readonly #onPage: VerifyOptions["onPage"]

  constructor(
    pruned: PrunedRows,
    rowCount: number,
    from: Checkpoint | null,
    onPage: VerifyOptions["onPage"],
  ) {
    this.#onPage = onPage
    this.#prunedRows = pruned.rowCount
    this.accounts = new Map(
      Object.entries(from?.accounts ?? {}).map(([id, last]) => [
        id,
        { ...last, balance: BigInt(last.balance) },
      ]),
    )
    this.spent = new Map(
      Object.entries(from?.spent ?? {}).map(([owner, sum]) => [owner, BigInt(sum)]),
    )
    const beginning = { last: 0, count: pruned.rowCount, hashSum: pruned.hashSum, receipts: 0 }
    this.rows = from?.rows ?? beginning
    let entries = from === null ? pruned.rowCount : from.rows.receipts
    for (const { number } of this.accounts.values()) entries += number
    this.total = Math.max(0, rowCount - entries) + Math.max(0, rowCount - this.rows.count)
  }

  /** Returns the sum of the hashes that were read so far. */
  hashSum(): HashSum {
    return new HashSum(this.rows.hashSum, this.rows.count)
  }

  /** Counts the rows of a page. Call it only when all fields of this object cover the same rows. */
  async page(rows: number): Promise<void> {
    this.done += rows
    await this.#onPage?.(this)
  }

  /** Returns the checkpoint for the next verification. */
  checkpoint(at: number): Checkpoint {
    return {
      at,
      prunedRows: this.#prunedRows,
      accounts: Object.fromEntries(
        [...this.accounts].map(([id, { number, hash, balance }]) => [
          id,
          { number, hash, balance: String(balance) },
        ]),
      ),
      spent: Object.fromEntries([...this.spent].map(([owner, sum]) => [owner, String(sum)])),
      rows: this.rows,
    }
  }
}
