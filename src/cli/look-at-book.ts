import { existsSync } from "node:fs"
import { type ReadAnchor, readAnchor } from "../ledger/anchor-file.ts"
import { readSecrets } from "../config/secrets.ts"
import { bookPathIn, hasLog } from "../store/book-place.ts"
import { openBookReader } from "../store/open-store.ts"
import { BookError } from "../store/book-error.ts"
import { type AuditVerdict, verifyAudit } from "../ledger/verify/audit.ts"
import { type Verdict, verifyBooks } from "../ledger/verify/books.ts"

/** What was found in a book that was only looked at. */
export interface BookLook {
  /** What was looked at, so that nobody takes another book for the one they mean. */
  readonly path: string
  readonly hasLog: boolean
  readonly anchor: ReadAnchor | undefined
  readonly verdict: Verdict
  readonly audit: AuditVerdict
}

/**
 * Looks at the book of a data folder, which may be a copy, or on read-only media. Makes nothing.
 * @throws BookError `not_found`, `missing`, `damaged`, `unavailable`, `other_version`.
 */
export async function lookAtBook(dataDirectory: string): Promise<BookLook> {
  const path = bookPathIn(dataDirectory)
  if (!existsSync(path)) throw noBook(path, dataDirectory)
  // Before the book is read: from here on, it only grows beyond it.
  const anchor = readAnchor(dataDirectory, readSecrets(dataDirectory)?.keyPepper)
  const withLog = hasLog(path)
  await using store = openBookReader(path)
  const inside = await store.integrity.findAnchor()
  const ends = [inside.audit, ...(anchor ? [anchor.anchor.audit] : [])]
  return {
    path,
    hasLog: withLog,
    anchor,
    verdict: await verifyBooks(store, anchor),
    audit: await verifyAudit(store, ends),
  }
}

/** What is known of the book's end, in words. */
export function anchorWords(anchor: ReadAnchor | undefined): string {
  if (anchor === undefined) {
    return "no file beside the book: entries that were cut off together with the book's own anchor would not be noticed"
  }
  const { at, rowCount } = anchor.anchor
  const words = `${rowCount} rows seen at ${new Date(at).toISOString()}`
  if (anchor.isGenuine === null)
    return `${words}; not checked whether it is genuine: the folder has no secrets`
  return anchor.isGenuine ? words : `${words}; not signed by this folder's secret`
}

function noBook(path: string, dataDirectory: string): BookError {
  const words = existsSync(dataDirectory)
    ? "there is no book"
    : "there is no such folder, so no book"
  return new BookError("not_found", `${words} at ${path}`)
}
