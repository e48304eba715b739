import type { CodeRecord } from "./codes.ts"
import { refusals } from "./refusals.ts"

/** A code as a database keeps it. */
export interface CodeRow {
  readonly id: string
  readonly hint: string
  readonly note: string | null
  readonly amount: bigint
  readonly uses: bigint
  readonly used: bigint
  readonly created_at: bigint
  readonly expires_at: bigint | null
  readonly revoked_at: bigint | null
  readonly author: string | null
}

/** The columns of a code. */
export const CODE_COLUMNS =
  "id, hint, note, amount, uses, used, created_at, expires_at, revoked_at, author"

/** A code as a database keeps it, read back. */
export function codeFromRow(row: CodeRow): CodeRecord {
  return {
    id: row.id,
    hint: row.hint,
    note: row.note,
    amount: row.amount,
    uses: Number(row.uses),
    used: Number(row.used),
    createdAt: Number(row.created_at),
    expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
    author: row.author,
  }
}

/** A code that may be redeemed at a time, Unix milliseconds. @throws StoreError `not_found`, `revoked`, `expired`. */
export function requireUsable(row: CodeRow | null, at: number): CodeRecord {
  if (!row) throw refusals.noSuchCode()
  const code = codeFromRow(row)
  if (code.revokedAt !== null) throw refusals.codeIsRevoked()
  if (code.expiresAt !== null && code.expiresAt <= at) throw refusals.codeHasExpired()
  return code
}
