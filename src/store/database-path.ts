import { existsSync, mkdirSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { LedgerError } from "./ledger-error.ts"

/** Where the ledger of a data directory is. */
export function databasePathIn(dataDirectory: string): string {
  return join(dataDirectory, "tollgate.db")
}

/**
 * Where the database of a data directory is.
 * @throws BookError `missing` when there was one, and it is gone.
 */
export function databasePath(dataDirectory: string): string {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const path = databasePathIn(dataDirectory)
  requireDatabase(path, dataDirectory)
  return path
}

/**
 * A book comes before its secrets. Where there are secrets and no book, it was lost: to begin another
 * in its place would forget what everyone has paid and spent, and say nothing.
 * @throws BookError `missing`.
 */
export function requireDatabase(path: string, dataDirectory: string): void {
  if (hasDatabase(path) || !existsSync(join(dataDirectory, "secrets", "key-pepper"))) return
  throw new LedgerError(
    "missing",
    `the book ${path} is gone, though the folder's secrets are there: all balances were in it`,
  )
}

/**
 * Makes room for a new ledger where the old one is gone; what is left of its log is kept under other names.
 * @throws BookError `exists` when there is a ledger.
 */
export function makeRoomForBook(path: string, now: Date): void {
  if (hasDatabase(path)) throw new LedgerError("exists", `there is a book already: ${path}`)
  const suffix = now.toISOString().replaceAll(":", "-")
  for (const file of [`${path}-wal`, `${path}-shm`]) {
    if (existsSync(file)) renameSync(file, `${file}.${suffix}`)
  }
}

function hasDatabase(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && stats.size > 0
}

/** Whether there is something in the log of a database that the database has not. */
export function hasLog(path: string): boolean {
  return existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0
}
