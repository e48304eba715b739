import type { LastPrunedEntry, PrunedRows } from "../integrity.ts"
import { sql } from "./sql.ts"
import { row, type Step } from "./step.ts"

interface PrunedRow {
  readonly until: bigint
  readonly row_count: bigint
  readonly hash_sum: string
  readonly last_row: bigint
}

interface LastPrunedRow {
  readonly number: bigint
  readonly balance: bigint
  readonly hash: string
}

/** Returns the sums of all rows that were removed, in all accounts. */
export function* findPrunedRows(): Step<PrunedRows> {
  const found = yield* row<PrunedRow>(
    sql`SELECT until, row_count, hash_sum, last_row FROM pruned_rows`,
  )
  if (!found) throw new Error("the ledger has no row in pruned_rows")
  return {
    until: Number(found.until),
    rowCount: Number(found.row_count),
    hashSum: found.hash_sum,
    lastRow: Number(found.last_row),
  }
}

/** Returns the last removed entry of an account; null if no entry was removed. */
export function* findLastPrunedEntry(account: string): Step<LastPrunedEntry | null> {
  const found = yield* row<LastPrunedRow>(
    sql`SELECT number, balance, hash FROM last_pruned_entries WHERE account = ${account}`,
  )
  return found && { ...found, number: Number(found.number) }
}
