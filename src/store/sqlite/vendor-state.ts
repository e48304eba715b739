import type { Database, Statement } from "bun:sqlite"
import type { VendorStateRecord } from "../vendor-state.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

/** Rows that one step deletes at most: it may run on the gateway's own thread. */
const SLICE = 250

interface StateRow {
  readonly id_hash: string
  readonly provider: string
  readonly kind: string
  readonly account: string
  readonly request: string
  readonly tokens: bigint | null
  readonly created_at: bigint
  readonly expires_at: bigint
}

/** What vendors keep for accounts. What writes expects to run inside a transaction. */
export class VendorStates {
  readonly #insert: Statement<unknown, (string | bigint | null)[]>
  readonly #find: Statement<StateRow, [string]>
  readonly #disown: Statement<unknown, [string, string]>
  readonly #sweep: Statement<unknown, [bigint, bigint]>
  readonly #bound: Statement<unknown, [bigint, bigint]>

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO vendor_state (id_hash, provider, kind, account, request, tokens, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id_hash, provider) DO UPDATE SET
         account = CASE account WHEN excluded.account THEN account ELSE '' END,
         tokens = max(tokens, excluded.tokens),
         expires_at = max(expires_at, excluded.expires_at)`,
    )
    this.#find = database.prepare(
      "SELECT * FROM vendor_state WHERE id_hash IN (SELECT value FROM json_each(?))",
    )
    this.#disown = database.prepare(
      "UPDATE vendor_state SET account = '' WHERE account = ? AND id_hash IN (SELECT value FROM json_each(?))",
    )
    this.#sweep = database.prepare(
      "DELETE FROM vendor_state WHERE number IN (SELECT number FROM vendor_state WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)",
    )
    this.#bound = database.prepare(
      `DELETE FROM vendor_state WHERE number IN (
         SELECT number FROM vendor_state
         WHERE number <= (SELECT max(number) FROM vendor_state) - ? ORDER BY number LIMIT ?)`,
    )
  }

  /** What is known already lives on; an id that another account was given too is no one's from then on. */
  keep(records: readonly VendorStateRecord[]): void {
    for (const record of records) {
      const { idHash, provider, kind, account, request, tokens, createdAt, expiresAt } = record
      this.#insert.run(
        idHash,
        provider,
        kind,
        account,
        request,
        tokens === null ? null : BigInt(tokens),
        BigInt(createdAt),
        BigInt(expiresAt),
      )
    }
  }

  find(idHashes: readonly string[]): VendorStateRecord[] {
    return this.#find.all(JSON.stringify(idHashes)).map(recordFromRow)
  }

  /** It is not deleted: an id that is not known could be passed on. */
  disown(account: string, idHashes: readonly string[]): void {
    this.#disown.run(account, JSON.stringify(idHashes))
  }

  /** Deletes some of what has expired, and of the oldest where there are more than `most`. @returns how many. */
  sweep(now: number, max: number): number {
    const limit = BigInt(SLICE)
    const expired = this.#sweep.run(BigInt(now), limit).changes
    return expired + this.#bound.run(BigInt(max), limit).changes
  }
}

function recordFromRow(row: StateRow): VendorStateRecord {
  return {
    idHash: row.id_hash,
    provider: row.provider,
    kind: row.kind,
    account: row.account,
    request: row.request,
    tokens: row.tokens === null ? null : Number(row.tokens),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }
}

interface VendorStateParts {
  readonly transactions: Transactions
  readonly states: VendorStates
}

export function vendorStateMethods(parts: VendorStateParts): DirectStore["vendorState"] {
  const { transactions, states } = parts
  return {
    find: (idHashes) => states.find(idHashes),
    disown: (account, idHashes) => states.disown(account, idHashes),
    sweep: (now, max) => transactions.atomically(() => states.sweep(now, max)),
  }
}
