import type { Anchor } from "../../accounting/anchor.ts"
import type { LedgerRow } from "../integrity.ts"
import { numberOrNull, type SqlBoolean } from "./sql.ts"

/** The anchor of the ledger in the form in which both engines read it. */
export interface StoredAnchor {
  readonly last_row: bigint
  readonly last_hash: string | null
  readonly row_count: bigint
  readonly hash_sum: string
  readonly at: bigint
  readonly write_offs: bigint
  readonly write_offs_hash: string
  readonly audit: bigint
  readonly audit_hash: string
}

/** A row of the ledger in the form in which both engines read it. */
export interface StoredLedgerRow extends Omit<
  LedgerRow,
  "position" | "number" | "at" | "isExpired"
> {
  readonly position: bigint
  readonly number: bigint | null
  readonly at: bigint
  readonly is_expired: SqlBoolean
}

export function anchorFromRow(row: StoredAnchor): Anchor {
  return {
    lastRow: Number(row.last_row),
    lastHash: row.last_hash,
    rowCount: Number(row.row_count),
    hashSum: row.hash_sum,
    at: Number(row.at),
    writeOffs: { number: Number(row.write_offs), hash: row.write_offs_hash },
    audit: { number: Number(row.audit), hash: row.audit_hash },
  }
}

export function ledgerRowFromRow(row: StoredLedgerRow): LedgerRow {
  return {
    position: Number(row.position),
    number: numberOrNull(row.number),
    account: row.account,
    key: row.key,
    at: Number(row.at),
    request: row.request,
    isExpired: Boolean(row.is_expired),
    receipt: row.receipt,
    hash: row.hash,
  }
}
