import type { Database, Statement } from "bun:sqlite"
import { ownersOfBits } from "../../accounting/budget-periods.ts"
import { HashSum } from "../../accounting/hash-sum.ts"
import { MAX_REPORTED_AMOUNT } from "../../accounting/maxima.ts"
import { MAX_REQUEST_MS } from "../entries.ts"
import type { PruneStep } from "../integrity.ts"
import { type LedgerRow, summarize } from "../request-summary.ts"
import { RequestSums } from "./request-sums.ts"

/** Maximum rows of one step, because charges may have to wait for a step. */
const CHUNK = 250

interface PrunedRow {
  readonly until: bigint
  readonly row_count: bigint
  readonly hash_sum: string
  readonly last_row: bigint
  readonly scanned: bigint
}

interface OldRow extends LedgerRow {
  readonly number: bigint | null
  readonly balance: bigint | null
  readonly hash: string | null
  readonly budgets: bigint
}

/**
 * Removes old rows of the ledger and stores their sums, so that the remaining rows can still be verified. Steps must
 * run inside a transaction.
 */
export class Pruning {
  readonly #pruned: Statement<PrunedRow, []>
  readonly #account: Statement<{ number: bigint }, [string]>
  readonly #rows: Statement<OldRow, [bigint, bigint]>
  readonly #last: Statement<{ number: bigint }, [string]>
  readonly #delete: Statement<unknown, [bigint]>
  readonly #write: Statement<unknown, (string | bigint)[]>
  readonly #writeAccount: Statement<unknown, (string | bigint)[]>
  readonly #spend: Statement<unknown, [string, bigint]>
  readonly #sums: RequestSums

  constructor(database: Database) {
    this.#pruned = database.prepare(
      "SELECT until, row_count, hash_sum, last_row, scanned FROM pruned_rows",
    )
    this.#account = database.prepare("SELECT number FROM last_pruned_entries WHERE account = ?")
    // The last row of the anchor is kept, because it identifies the anchor.
    this.#rows = database.prepare(
      `SELECT rowid AS row, account, at, request, key, amount, receipt, number, balance, hash, budgets, NULL AS replaces,
        (SELECT sum(min(amount, ${MAX_REPORTED_AMOUNT})) FROM write_offs WHERE write_offs.request = entries.request) AS written_off
      FROM entries WHERE rowid > ? AND rowid < (SELECT last_row FROM anchor) ORDER BY rowid LIMIT ?`,
    )
    this.#last = database.prepare(
      "SELECT number FROM entries WHERE account = ? AND number IS NOT NULL ORDER BY number DESC LIMIT 1",
    )
    this.#delete = database.prepare("DELETE FROM entries WHERE rowid = ?")
    this.#write = database.prepare(
      "UPDATE pruned_rows SET until = ?, row_count = ?, hash_sum = ?, last_row = ?, scanned = ?",
    )
    this.#writeAccount = database.prepare(
      "INSERT OR REPLACE INTO last_pruned_entries (account, number, balance, hash) VALUES (?, ?, ?, ?)",
    )
    this.#spend = database.prepare(
      "INSERT INTO pruned_budgets VALUES (?, ?) ON CONFLICT DO UPDATE SET spent = spent + excluded.spent",
    )
    this.#sums = new RequestSums(database, { hours: "pruned_hours", keys: "pruned_key_uses" })
  }

  /**
   * Performs one step.
   * @param before Unix milliseconds.
   */
  step(before: number): PruneStep {
    const pruned = this.#row()
    if (BigInt(before) <= pruned.until) return { removed: 0, isBehind: false, isPruned: false }
    const rows = this.#rows.all(pruned.scanned, BigInt(CHUNK))
    const [first] = rows
    // Rows may be out of chronological order by up to the longest duration of a request.
    const isOver = first !== undefined && Number(first.at) >= before + MAX_REQUEST_MS
    const removed = isOver ? [] : this.#removable(rows, before)
    for (const { row } of removed) this.#delete.run(row)
    this.#sums.add(
      removed.flatMap((row) => summarize(row) ?? []),
      1,
    )
    const sum = new HashSum(pruned.hash_sum, Number(pruned.row_count))
    for (const { hash } of removed) sum.add(hash)
    const isBehind = !isOver && rows.length === CHUNK
    const lastRow = removed.reduce((last, { row }) => (row > last ? row : last), pruned.last_row)
    this.#write.run(
      isBehind ? pruned.until : BigInt(before),
      BigInt(sum.count),
      sum.text,
      lastRow,
      isBehind ? (rows.at(-1)?.row ?? pruned.scanned) : 0n,
    )
    return { removed: removed.length, isBehind, isPruned: !isBehind }
  }

  /**
   * Returns the entries of an account that can be removed, starting with the first. The last entry is kept, because it
   * verifies the removed entries.
   */
  #removable(rows: readonly OldRow[], before: number): OldRow[] {
    const ends = new Map<string, { pruned: bigint; last: bigint }>()
    return rows.filter((row) => {
      if (Number(row.at) >= before) return false
      if (row.number === null) return true
      let end = ends.get(row.account)
      if (!end) ends.set(row.account, (end = this.#endsOf(row.account)))
      if (row.number !== end.pruned + 1n || row.number >= end.last) return false
      end.pruned = row.number
      this.#writeAccount.run(row.account, row.number, row.balance ?? 0n, row.hash ?? "")
      this.#spendOf(row)
      return true
    })
  }

  #endsOf(account: string): { pruned: bigint; last: bigint } {
    return {
      pruned: this.#account.get(account)?.number ?? 0n,
      last: this.#last.get(account)?.number ?? 0n,
    }
  }

  #spendOf({ budgets, account, key, at, amount }: OldRow): void {
    if (key === null || amount === null) return
    for (const owner of ownersOfBits(Number(budgets), { key, account }, Number(at))) {
      this.#spend.run(owner, -amount)
    }
  }

  #row(): PrunedRow {
    const row = this.#pruned.get()
    if (!row) throw new Error("the ledger has no row in pruned_rows")
    return row
  }
}
