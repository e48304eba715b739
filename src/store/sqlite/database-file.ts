import { existsSync, mkdirSync, renameSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { LedgerError } from "../ledger-error.ts"

/** Returns the path of the database file in a data directory. */
export function databaseFileIn(dataDirectory: string): string {
  return join(dataDirectory, "tollgate.db")
}

/**
 * Returns the temporary path of a ledger, which is a file during a copy from another database, and a folder during a
 * restore.
 */
export function copyPath(path: string): string {
  return `${path}.unfinished`
}

function rejectUnfinished(path: string): void {
  if (!existsSync(copyPath(path))) return
  throw new LedgerError(
    "unfinished",
    `a copy or a restore into ${dirname(path)} was not finished: remove its files and start it again`,
  )
}

/**
 * Creates the directory of a database file.
 *
 * The ledger is created before its secrets. If secrets exist without a ledger, the ledger was lost, and creating a new
 * one would silently discard all payments and charges.
 * @throws LedgerError `missing`, `unfinished`.
 */
export function prepareDirectory(path: string): void {
  rejectUnfinished(path)
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (hasContent(path) || !existsSync(join(directory, "secrets", "key-pepper"))) return
  throw new LedgerError(
    "missing",
    `the ledger ${path} is missing, although the folder has its secrets: all balances were in it`,
  )
}

/**
 * Prepares the path of a lost database for a new one. Log files that remain are renamed and kept.
 * @throws LedgerError `exists` if there is a database, `unfinished`.
 */
export function setLogAside(path: string, now: Date): void {
  rejectUnfinished(path)
  if (hasContent(path)) throw new LedgerError("exists", `there is already a ledger: ${path}`)
  const suffix = now.toISOString().replaceAll(":", "-")
  for (const file of [`${path}-wal`, `${path}-shm`]) {
    if (existsSync(file)) renameSync(file, `${file}.${suffix}`)
  }
}

export function hasContent(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && stats.size > 0
}

/** Returns the inode of a file, which changes when the file is replaced; 0 if there is no file. */
export function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0
}

/** Whether the log of a database may contain changes that are not in the database yet. */
export function hasLog(path: string): boolean {
  return existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0
}
