import type { EntryRecord, WriteOffRecord, DebtLine, AuditRecord } from "./chained-records.ts"

/** The previous hash of each chain's first record. */
export const GENESIS_HASH = "0".repeat(64)

/** Returns the SHA-256 of a text, hexadecimal. */
export function hashText(text: string): string {
  return Bun.SHA256.hash(text, "hex")
}

/**
 * Returns the hash of an entry, over all its fields and the previous hash. Changed, removed or inserted entries
 * therefore break the chain.
 */
export function hashEntry(entry: Omit<EntryRecord, "hash">): string {
  const parts = [
    entry.previousHash,
    entry.account,
    entry.number,
    entry.kind,
    entry.amount.toString(),
    entry.balance.toString(),
    entry.at,
    entry.request,
    entry.note,
    entry.author,
    entry.receiptHash,
  ]
  if (entry.kind === "charge") parts.push(entry.key, entry.budgetBits)
  return hashText(JSON.stringify(parts))
}

/** The receipt of a request that was not charged, as stored in its row. */
export interface UnchargedReceipt {
  readonly account: string
  readonly key: string
  readonly request: string
  readonly at: number
  readonly isExpired: boolean
  readonly receipt: string
}

/** Returns the hash of an uncharged request's receipt, over all its fields. It is not chained. */
export function hashUncharged(row: UnchargedReceipt): string {
  const { account, key, request, at, isExpired, receipt } = row
  return hashText(JSON.stringify([account, key, request, at, isExpired, hashText(receipt)]))
}

/** Returns the hash of a write-off, over all its fields and the previous hash. */
export function hashWriteOff(record: Omit<WriteOffRecord, "hash">): string {
  return hashText(
    JSON.stringify([
      record.previousHash,
      record.number,
      record.at,
      record.account,
      record.key,
      record.request,
      record.amount.toString(),
      record.reason,
    ]),
  )
}

/** Returns the hash of a debt line, over all its fields and the previous hash. */
export function hashDebt(line: Omit<DebtLine, "hash">): string {
  return hashText(
    JSON.stringify([
      line.previousHash,
      line.account,
      line.number,
      line.amount.toString(),
      line.debt.toString(),
      line.at,
      line.note,
      line.entry,
    ]),
  )
}

/** Returns the hash of an audit record, over all its fields and the previous hash. */
export function hashAudit(record: Omit<AuditRecord, "hash">): string {
  return hashText(
    JSON.stringify([
      record.previousHash,
      record.number,
      record.at,
      record.actorKind,
      record.actorId,
      record.actorName,
      record.action,
      record.account,
      record.target,
      record.before,
      record.after,
      record.address,
    ]),
  )
}
