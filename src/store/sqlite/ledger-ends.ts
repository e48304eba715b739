import type { Database, Statement } from "bun:sqlite"
import type { EntryRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH } from "../../accounting/hash-chain.ts"

/** Accounts whose ends are remembered. */
const MAX_ENDS = 10_000

/** The fields of an account's last entry that the next entry needs. */
type LedgerEnd = Pick<EntryRecord, "number" | "balance" | "hash">

const EMPTY_LEDGER: LedgerEnd = { number: 0, balance: 0n, hash: GENESIS_HASH }

/**
 * Where the ledgers of accounts end, cached, since SQLite plans the query for it again each time. What
 * stands here is committed, so it is never ahead of a ledger: a line would follow one that is not there. It
 * may be behind where someone else on this connection has written; then the next line's number is taken.
 */
export class LedgerEnds {
  readonly #end: Statement<Omit<LedgerEnd, "number"> & { readonly number: bigint }, [string]>
  /** Changes when another connection commits. */
  readonly #dataVersion: Statement<{ data_version: bigint }, []>
  readonly #committed = new Map<string, LedgerEnd>()
  #version: bigint | undefined
  /** Of the batch that is being posted. */
  #posted = new Map<string, LedgerEnd>()

  constructor(database: Database) {
    this.#end = database.prepare(
      "SELECT number, balance, hash FROM entries WHERE account = ? AND number IS NOT NULL ORDER BY number DESC LIMIT 1",
    )
    this.#dataVersion = database.prepare("PRAGMA data_version")
  }

  /** A batch begins, inside its transaction. The one before, if it was not committed, is not in the ledger. */
  begin(): void {
    this.#posted = new Map()
    const version = this.#dataVersion.get()?.data_version
    if (version !== this.#version) this.#committed.clear()
    this.#version = version
  }

  of(account: string): LedgerEnd {
    return this.#posted.get(account) ?? this.#committed.get(account) ?? this.#read(account)
  }

  #read(account: string): LedgerEnd {
    const row = this.#end.get(account)
    return row ? { ...row, number: Number(row.number) } : EMPTY_LEDGER
  }

  /** The batch has written a line. */
  move(account: string, end: LedgerEnd): void {
    this.#posted.set(account, end)
  }

  /** The batch is in the ledger. */
  commit(): void {
    if (this.#committed.size >= MAX_ENDS) this.#committed.clear()
    for (const [account, end] of this.#posted) this.#committed.set(account, end)
  }

  forget(): void {
    this.#committed.clear()
  }
}
