import { existsSync, mkdirSync, renameSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { LedgerError } from "../ledger-error.ts"

/** The database file of a data directory. */
export function databaseFileIn(dataDirectory: string): string {
  return join(dataDirectory, "tollgate.db")
}

/** What a ledger is called while it is copied from another database; a folder while it is restored from a backup. */
export function copyPath(path: string): string {
  return `${path}.unfinished`
}

function refuseUnfinished(path: string): void {
  if (!existsSync(copyPath(path))) return
  throw new LedgerError(
    "unfinished",
    `a copy or a backup was to be put into ${dirname(path)}, and that was not finished: remove what it left there, and begin again`,
  )
}

/**
 * Creates the directory of a database file.
 *
 * A ledger is older than its secrets. Where there are secrets and no ledger, it was lost: to create another in its
 * place would silently forget what everyone has paid and spent.
 * @throws LedgerError `missing`, `unfinished`.
 */
export function prepareDirectory(path: string): void {
  refuseUnfinished(path)
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (hasContent(path) || !existsSync(join(directory, "secrets", "key-pepper"))) return
  throw new LedgerError(
    "missing",
    `the ledger ${path} is gone, though the folder's secrets are there: all balances were in it`,
  )
}

/**
 * Makes room for a new database where the old one is gone; what is left of its log is kept under other names.
 * @throws LedgerError `exists` when there is a database, `unfinished`.
 */
export function setLogAside(path: string, now: Date): void {
  refuseUnfinished(path)
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

/** Tells apart a file and its replacement at the same path; 0 if there is no file. */
export function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0
}

/** Whether the log of a database holds something that the database does not. */
export function hasLog(path: string): boolean {
  return existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0
}
