import type { AuditRecord } from "./audit-records.ts"
import type { EntryRecord } from "./records.ts"

/** What stands before an account's first entry, and before the first audit record. */
export const GENESIS_HASH = "0".repeat(64)

/** SHA-256 of a text, hexadecimal. */
export function hashText(text: string): string {
  return Bun.SHA256.hash(text, "hex")
}

/**
 * The hash of an entry: over all of it and the hash of the one before, so that a book in which any
 * line was changed, removed or put in between no longer adds up.
 */
export function hashEntry(entry: Omit<EntryRecord, "hash">): string {
  return hashText(
    JSON.stringify([
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
    ]),
  )
}

/** The hash of an audit record: over all of it and the hash of the one before, as in a book. */
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
