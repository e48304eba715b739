import { SQLiteError } from "bun:sqlite"
import { rejections } from "../rejections.ts"
import type { SharedSettlements } from "../steps/settlements.ts"
import type { Batch, Posted } from "../settlements.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Postings } from "./postings.ts"
import type { Receipts } from "./receipts.ts"
import type { Transactions } from "./transactions.ts"

interface SettlementParts {
  readonly transactions: Transactions
  readonly postings: Postings
  readonly receipts: Receipts
}

export function settlementMethods(
  parts: SettlementParts,
): Omit<DirectStore["settlements"], keyof SharedSettlements> {
  const { transactions, postings, receipts } = parts
  return {
    findReceipt: (request) => receipts.find(request),
    findReceipts: (requests, { from, until }) =>
      requests
        .flatMap((request) => receipts.find(request) ?? [])
        .filter(({ at }) => at >= from && at < until),
    listReceipts: (filter, after, limit) => receipts.list(filter, after, limit),
    post: postMethod(transactions, postings),
  }
}

/**
 * Returns the method that posts in one transaction. Repetitions and other writers are rare, so checking for them first
 * would cost more than a second attempt.
 */
function postMethod(transactions: Transactions, postings: Postings) {
  function commit(step: () => Posted[]): Posted[] {
    const posted = transactions.atomically(step)
    postings.committed()
    return posted
  }
  return (node: string, batch: Batch): Posted[] => {
    try {
      return commit(() => postings.post(node, batch))
    } catch (error) {
      if (!isTaken(error)) throw storeErrorOf(error)
    }
    try {
      return commit(() => postings.postAgain(node, batch))
    } catch (error) {
      throw storeErrorOf(error)
    }
  }
}

/**
 * SQLite's error codes for rejected values. Errors of triggers and unique indexes concern the state of the ledger
 * instead.
 */
const OF_VALUES: ReadonlySet<string | undefined> = new Set([
  "SQLITE_CONSTRAINT_CHECK",
  "SQLITE_CONSTRAINT_DATATYPE",
  "SQLITE_CONSTRAINT_FOREIGNKEY",
  "SQLITE_CONSTRAINT_NOTNULL",
  "SQLITE_MISMATCH",
  "SQLITE_TOOBIG",
])

/** Converts errors about rejected values. For a number of more than 64 bits, Bun throws a RangeError. */
function storeErrorOf(error: unknown): unknown {
  const isOfValues =
    error instanceof RangeError || (error instanceof SQLiteError && OF_VALUES.has(error.code))
  return isOfValues ? rejections.cannotBeStored(error.message) : error
}

function isTaken(error: unknown): boolean {
  return error instanceof SQLiteError && error.code === "SQLITE_CONSTRAINT_UNIQUE"
}
