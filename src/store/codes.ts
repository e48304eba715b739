import type { EntryRecord } from "../accounting/chained-records.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** A code that grants credits once to each account. */
export interface CodeRecord {
  readonly id: string
  /** The last characters of the code, by which people recognize it. */
  readonly hint: string
  readonly note: string | null
  /** The amount granted by each use. */
  readonly amount: bigint
  /** The maximum number of accounts that may redeem the code, and the number that have redeemed it. */
  readonly uses: number
  readonly used: number
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly author: string | null
}

export type NewCode = Omit<CodeRecord, "used" | "revokedAt"> & {
  /** HMAC of the code in hexadecimal. The code itself is not stored. */
  readonly hash: string
}

/** The redemption of a code for an account. */
export interface Redemption {
  readonly hash: string
  readonly account: string
  readonly at: number
  readonly author: string | null
}

export interface CodeReads {
  find(id: string): Promise<CodeRecord | null>
  /** Lists codes after the given code, newest first. null starts at the newest code. */
  list(after: string | null, limit: number): Promise<CodeRecord[]>
}

export interface CodeWrites {
  create(code: NewCode, audit: NewAuditRecord): Promise<CodeRecord>
  /** Creates all codes in one step. */
  createAll(codes: readonly NewCode[], audit: NewAuditRecord): Promise<CodeRecord[]>
  /**
   * Revokes a code.
   * @throws StoreError `not_found`.
   */
  revoke(id: string, at: number, audit: NewAuditRecord): Promise<CodeRecord>
  /**
   * Adds the amount of a code to an account, as an entry of kind `code` whose note is the code's id.
   * @throws StoreError `not_found`, `revoked`, `expired`, `exists` if this account has already redeemed the code,
   * `insufficient` if the maximum number of accounts have redeemed it.
   */
  redeem(redemption: Redemption, audit: NewAuditRecord): Promise<EntryRecord>
}
