import type { Database, Statement } from "bun:sqlite"
import type { EntryRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH } from "../../accounting/hash-chain.ts"

/** Maximum accounts in the cache. */
const MAX_ENDS = 10_000

/** The fields of an account's last entry that the next entry needs. */
type LedgerEnd = Pick<EntryRecord, "number" | "balance" | "hash">

const EMPTY_LEDGER: LedgerEnd = { number: 0, balance: 0n, hash: GENESIS_HASH }

/**
 * Caches the last entry of each account, because SQLite plans the query for it each time. The cache only contains
 * committed entries, so that a new entry never follows a missing one. If other code on this connection has written, the
 * cache may be behind. The number of the next entry is then taken, and the insert fails.
 */
export class LedgerEnds {
  readonly #end: Statement<Omit<LedgerEnd, "number"> & { readonly number: bigint }, [string]>
  /** Selects a number that changes when another connection commits. */
  readonly #dataVersion: Statement<{ data_version: bigint }, []>
  readonly #committed = new Map<string, LedgerEnd>()
  #version: bigint | undefined
  /** The last entries that the current batch has written. */
  #posted = new Map<string, LedgerEnd>()

  constructor(database: Database) {
    this.#end = database.prepare(
      "SELECT number, balance, hash FROM entries WHERE account = ? AND number IS NOT NULL ORDER BY number DESC LIMIT 1",
    )
    this.#dataVersion = database.prepare("PRAGMA data_version")
  }

  /** Begins a batch inside its transaction. If the previous batch was not committed, its entries are discarded. */
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

  /** Records an entry that the batch has written. */
  move(account: string, end: LedgerEnd): void {
    this.#posted.set(account, end)
  }

  /** Records that the batch was committed. */
  commit(): void {
    if (this.#committed.size >= MAX_ENDS) this.#committed.clear()
    for (const [account, end] of this.#posted) this.#committed.set(account, end)
  }

  forget(): void {
    this.#committed.clear()
  }
}
