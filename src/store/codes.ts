import type { EntryRecord } from "../accounting/chained-records.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** A code that gives credits, once to each account. */
export interface CodeRecord {
  readonly id: string
  /** The last characters of the code, to tell codes apart. */
  readonly hint: string
  readonly note: string | null
  /** What each use of it gives. */
  readonly amount: bigint
  /** How many accounts may use it, and how many have. */
  readonly uses: number
  readonly used: number
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly author: string | null
}

export type NewCode = Omit<CodeRecord, "used" | "revokedAt"> & {
  /** HMAC of the code, hexadecimal. The code itself is nowhere. */
  readonly hash: string
}

/** Someone redeems a code for an account. */
export interface Redemption {
  readonly hash: string
  readonly account: string
  readonly at: number
  readonly author: string | null
}

export interface CodeReads {
  find(id: string): Promise<CodeRecord | null>
  /** The newest first, those that come after a code; null starts at the newest. */
  list(after: string | null, limit: number): Promise<CodeRecord[]>
}

export interface CodeWrites {
  create(code: NewCode, audit: NewAuditRecord): Promise<CodeRecord>
  /** All of them, or none. */
  createAll(codes: readonly NewCode[], audit: NewAuditRecord): Promise<CodeRecord[]>
  /** @throws StoreError `not_found`. */
  revoke(id: string, at: number, audit: NewAuditRecord): Promise<CodeRecord>
  /**
   * Credits an account with what a code is worth: an entry of kind `code` whose note is the code's id.
   * @throws StoreError `not_found`, `revoked`, `expired`, `exists` when this account has redeemed it
   * already, `insufficient` when it was used as often as it may be.
   */
  redeem(redemption: Redemption, audit: NewAuditRecord): Promise<EntryRecord>
}
