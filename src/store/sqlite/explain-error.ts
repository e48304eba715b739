import { SQLiteError } from "bun:sqlite"
import { accessSync, constants } from "node:fs"
import { dirname } from "node:path"
import { LedgerError } from "../ledger-error.ts"
import { SchemaError } from "./migrate.ts"

/** SQLite's error codes for files that are no longer a valid database. */
const DAMAGED = ["SQLITE_CORRUPT", "SQLITE_NOTADB"]
/** SQLite's error message for a column that no longer contains JSON. */
const NO_JSON = "malformed JSON"
/** SQLite's error code when another process holds the lock for longer than the busy timeout. */
const LOCKED = "SQLITE_BUSY"
/** SQLite's error codes for rejections by the file system. */
const UNAVAILABLE = [
  "SQLITE_IOERR",
  "SQLITE_CANTOPEN",
  "SQLITE_READONLY",
  "SQLITE_FULL",
  "SQLITE_PERM",
  "SQLITE_AUTH",
]

/**
 * Converts a failure of the file into the store's own error, which names the file. Other errors are returned unchanged.
 */
export function asLedgerError(path: string, error: unknown): unknown {
  if (error instanceof SchemaError) return new LedgerError("other_version", error.message)
  if (!(error instanceof SQLiteError)) return error
  const code = error.code ?? ""
  if (isOneOf(code, DAMAGED) || error.message === NO_JSON) {
    return new LedgerError("damaged", `the ledger ${path} is damaged: ${error.message}`)
  }
  const isLocked = isOneOf(code, [LOCKED])
  if (!isLocked && !isOneOf(code, UNAVAILABLE)) return error
  const reason = isLocked
    ? "another program keeps it locked"
    : (folderFault(dirname(path)) ?? error.message)
  return new LedgerError("unavailable", `the ledger ${path} cannot be used: ${reason}`)
}

/** Whether an error code is one of the given codes or an extension of one. */
function isOneOf(code: string, names: readonly string[]): boolean {
  return names.some((name) => code.startsWith(name))
}

/** Returns the reason why no files can be created in a folder; undefined if they can. */
function folderFault(folder: string): string | undefined {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : ""
    return `the folder ${folder} ${FOLDER_FAULTS[code] ?? "cannot be written"} (${code})`
  }
}

const FOLDER_FAULTS: Readonly<Record<string, string>> = {
  EROFS: "is on a read-only file system",
  EACCES: "cannot be written by this user",
  ENOENT: "does not exist",
}
