import { SQLiteError } from "bun:sqlite"
import { accessSync, constants } from "node:fs"
import { dirname } from "node:path"
import { LedgerError } from "../ledger-error.ts"
import { SchemaError } from "./migrate.ts"

/** What SQLite says of a file whose contents are not a database any more. */
const DAMAGED = ["SQLITE_CORRUPT", "SQLITE_NOTADB"]
/** What it says of a column that holds no JSON any more. */
const NO_JSON = "malformed JSON"
/** What it says when another has kept the file for longer than the busy timeout. */
const LOCKED = "SQLITE_BUSY"
/** What it says when the file system refuses. */
const UNAVAILABLE = [
  "SQLITE_IOERR",
  "SQLITE_CANTOPEN",
  "SQLITE_READONLY",
  "SQLITE_FULL",
  "SQLITE_PERM",
  "SQLITE_AUTH",
]

/** A failure of the file as the store's own error, which names it; anything else as it is. */
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

/** Extended codes begin with the plain one. */
function isOneOf(code: string, names: readonly string[]): boolean {
  return names.some((name) => code.startsWith(name))
}

/** Why files cannot be made in a folder; undefined when they can. */
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
  ENOENT: "is not there",
}
