import type { Database, Statement } from "bun:sqlite"
import type { EntryKind, EntryRecord } from "../../accounting/chained-records.ts"
import { type EntryRange, LONGEST_REQUEST, type StatementLine } from "../entries.ts"
import { type Accounts } from "./accounts.ts"
import type { Debts } from "./debts.ts"
import type { DirectStore } from "./direct-store.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "./entry-rows.ts"
import type { Transactions } from "./transactions.ts"

type LineRow = EntryRow & { model: string | null }

/** Reads accounts' ledgers, page by page. */
export class LedgerPages {
  readonly #forward: Statement<EntryRow, [string, bigint, bigint]>
  readonly #back: Statement<EntryRow, [string, bigint, bigint]>
  readonly #chargesBack: Statement<EntryRow, [string, bigint, bigint]>
  readonly #othersBack: Statement<EntryRow, [string, bigint, string, bigint]>
  readonly #lines: Statement<LineRow, [string, bigint, bigint]>
  readonly #last: Statement<{ number: bigint }, [string]>
  readonly #time: Statement<{ at: bigint }, [string, bigint]>

  constructor(database: Database) {
    const page = `SELECT ${ENTRY_COLUMNS} FROM entries WHERE account = ? AND number`
    this.#forward = database.prepare(`${page} > ? ORDER BY number LIMIT ?`)
    this.#back = database.prepare(`${page} < ? ORDER BY number DESC LIMIT ?`)
    this.#chargesBack = database.prepare(
      `${page} < ? AND kind = 'charge' ORDER BY number DESC LIMIT ?`,
    )
    // The index on kinds has no charges, and is used where the query says that it asks for none.
    this.#othersBack = database.prepare(
      `${page} < ? AND kind = ? AND kind <> 'charge' ORDER BY number DESC LIMIT ?`,
    )
    this.#lines = database.prepare(
      `SELECT ${ENTRY_COLUMNS}, json_extract(receipt, '$.model') AS model FROM entries WHERE account = ? AND number > ? ORDER BY number LIMIT ?`,
    )
    this.#last = database.prepare(
      "SELECT number FROM entries WHERE account = ? AND number IS NOT NULL ORDER BY number DESC LIMIT 1",
    )
    this.#time = database.prepare("SELECT at FROM entries WHERE account = ? AND number = ?")
  }

  forward(account: string, after: number, limit: number): EntryRecord[] {
    return this.#forward.all(account, BigInt(after), BigInt(limit)).map(entryFromRow)
  }

  back(
    account: string,
    before: number | null,
    limit: number,
    kind: EntryKind | null,
  ): EntryRecord[] {
    const below = BigInt(before ?? Number.MAX_SAFE_INTEGER)
    const max = BigInt(limit)
    if (kind === null) return this.#back.all(account, below, max).map(entryFromRow)
    const rows =
      kind === "charge"
        ? this.#chargesBack.all(account, below, max)
        : this.#othersBack.all(account, below, kind, max)
    return rows.map(entryFromRow)
  }

  lines(account: string, after: number, limit: number): StatementLine[] {
    return this.#lines
      .all(account, BigInt(after), BigInt(limit))
      .map((row) => ({ ...entryFromRow(row), model: row.model }))
  }

  range(account: string, from: number, until: number): EntryRange {
    return {
      after: this.#older(account, from - LONGEST_REQUEST),
      last: this.#older(account, until + LONGEST_REQUEST),
    }
  }

  /**
   * The number of an entry that is older than `at`, while the next one is not. Of those before it none
   * is younger by more than the longest request, of those after it none older by more.
   */
  #older(account: string, at: number): number {
    let older = 0
    let younger = Number(this.#last.get(account)?.number ?? 0n) + 1
    while (younger - older > 1) {
      const middle = Math.floor((older + younger) / 2)
      const time = Number(this.#time.get(account, BigInt(middle))?.at ?? 0n)
      if (time < at) older = middle
      else younger = middle
    }
    return older
  }
}

interface EntryParts {
  readonly transactions: Transactions
  readonly pages: LedgerPages
  readonly accounts: Accounts
  readonly debts: Debts
}

export function entryMethods(parts: EntryParts): DirectStore["entries"] {
  const { transactions, pages, accounts, debts } = parts
  return {
    list: (account, after, limit) => pages.forward(account, after, limit),
    listBack: (account, before, limit, kind) => pages.back(account, before, limit, kind),
    listStatementLines: (account, after, limit) => pages.lines(account, after, limit),
    findRange: (account, from, until) =>
      transactions.consistently(() => pages.range(account, from, until)),
    add: (entry, audit) =>
      transactions.audited(audit, () => debts.received(accounts.addEntry(entry))),
  }
}
