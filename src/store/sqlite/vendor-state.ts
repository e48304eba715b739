import type { Database, Statement } from "bun:sqlite"
import type { VendorStateRecord } from "../vendor-state.ts"

/** Records the accounts that own state stored by vendors, in the transaction of a charge. */
export class VendorStates {
  readonly #insert: Statement<unknown, (string | bigint | null)[]>

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO vendor_state (id_hash, provider, kind, account, request, tokens, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id_hash, provider) DO UPDATE SET
         account = CASE account WHEN excluded.account THEN account ELSE '' END,
         tokens = max(tokens, excluded.tokens),
         expires_at = max(expires_at, excluded.expires_at)`,
    )
  }

  /**
   * Writes records. A known id keeps its row, but gets a later expiry. An id that was also given to another account
   * belongs to no account from then on.
   */
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
}
