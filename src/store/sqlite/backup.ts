import { type Database, SQLiteError } from "bun:sqlite"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { threadAddress } from "../../runtime.ts"
import type { FileKind } from "../kept-files.ts"
import { LedgerError } from "../ledger-error.ts"
import { makePrivateFile } from "../private-file.ts"
import { copyPath } from "./database-file.ts"
import { asLedgerError } from "./explain-error.ts"
import { PART } from "./folder-files.ts"
import { isNewestSchema } from "./migrate.ts"
import { requireNothing } from "./nothing-there.ts"
import { openForReading } from "./open-for-reading.ts"
import { LEDGER_SCHEMA } from "./schemas/ledger.ts"

/** Files next to the ledger. A file is copied after all files that refer to it. */
const OTHERS = ["console.db", "contents.db", "conversations.db"] as const
const KINDS: readonly FileKind[] = ["responses", "images"]

/**
 * Copies a ledger and the files next to it while they are in use. Each file is copied in one read transaction, which
 * blocks no writer. Concurrent writes are not in the copy. A ledger of an older version is copied unchanged.
 * @param path the path of the ledger.
 * @param folder an empty folder.
 * @throws LedgerError `not_found`, `damaged`, `unavailable`, `other_version`.
 */
export function backUpSqlite(path: string, folder: string): void {
  if (!existsSync(path)) throw new LedgerError("not_found", `there is no ledger at ${path}`)
  let isNewest = false
  copyDatabase(path, join(folder, "tollgate.db"), (database) => {
    isNewest = isNewestSchema(database, LEDGER_SCHEMA)
  })
  // A database of an older version may not have an anchor.
  if (isNewest) requireSamePositions(join(folder, "tollgate.db"))
  for (const name of OTHERS) {
    const source = join(dirname(path), name)
    if (existsSync(source)) copyDatabase(source, join(folder, name))
  }
  for (const kind of KINDS) copyFiles(join(dirname(path), kind), join(folder, kind))
}

function copyDatabase(
  source: string,
  target: string,
  check: (database: Database) => void = () => {},
): void {
  // The file is created first, because SQLite would create it with other permissions.
  makePrivateFile(target)
  try {
    using database = openForReading(source)
    check(database)
    using _ = syncing(target)
    database.query("VACUUM INTO ?").run(target)
  } catch (error) {
    throw isOfTarget(error) ? cannotWrite(target) : asLedgerError(source, error)
  }
}

/**
 * Syncs a file to the disk repeatedly while it is written. It runs on another thread, because writing blocks this
 * thread. A single sync at the end would delay the commits of a gateway on the same disk.
 */
function syncing(path: string): Disposable {
  const thread = new Worker(threadAddress("store/sqlite/sync-thread.ts"))
  thread.unref()
  thread.addEventListener("message", () => thread.terminate())
  thread.postMessage(path)
  return { [Symbol.dispose]: () => thread.postMessage(null) }
}

/** Whether an error concerns the target. All write errors do, because the source is only read. */
function isOfTarget(error: unknown): boolean {
  const code = error instanceof SQLiteError ? (error.code ?? "") : ""
  return ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC"].includes(code)
}

function cannotWrite(target: string): LedgerError {
  return new LedgerError(
    "unavailable",
    `the backup cannot be written to ${dirname(target)}: the disk is full or broken`,
  )
}

/**
 * Checks that rows have the same rowids in the copy, because rowids identify rows. SQLite keeps them, but does not
 * guarantee this for tables without an INTEGER PRIMARY KEY, such as `entries`. If rowids ever changed, gaps would
 * close, and the anchor would refer to a different row.
 */
function requireSamePositions(copy: string): void {
  using database = openForReading(copy)
  const row = database
    .query<{ last: bigint; expected: string | null; hash: string | null }, []>(
      `SELECT last_row AS last, last_hash AS expected, hash FROM anchor
       LEFT JOIN entries ON entries.rowid = last_row`,
    )
    .get()
  if (row === null || row.last === 0n || row.expected === row.hash) return
  throw new LedgerError("damaged", `the rows of the copy ${copy} differ from its anchor`)
}

/** Copies the files of a folder. Another process may delete expired files during the copy. */
function copyFiles(source: string, target: string): void {
  if (!existsSync(source)) return
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    if (!entry.isFile() || PART.test(entry.name)) continue
    mkdirSync(target, { recursive: true, mode: 0o700 })
    try {
      copyFileSync(join(source, entry.name), join(target, entry.name))
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT"
}

/**
 * Fills a folder from a backup. Until it is complete, a folder occupies the path of the unfinished ledger, so that no
 * gateway starts. The ledger is moved to its final place last.
 * @param path the path of the ledger.
 * @param step writes the files into a folder.
 * @throws LedgerError `exists`.
 */
export async function restoreSqlite<T>(
  path: string,
  step: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = copyPath(path)
  // The folder remains if a restore was killed.
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) {
    rmSync(folder, { recursive: true })
  }
  requireNothing(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    const result = await step(folder)
    takePlaces(folder, path)
    return result
  } catch (error) {
    throw asLedgerError(path, error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function takePlaces(folder: string, path: string): void {
  const directory = dirname(path)
  const names = readdirSync(folder).filter((name) => name !== "tollgate.db")
  for (const name of names) {
    if (!existsSync(join(directory, name))) continue
    throw new LedgerError(
      "exists",
      `${join(directory, name)} already exists and is also in the backup`,
    )
  }
  for (const name of names) renameSync(join(folder, name), join(directory, name))
  renameSync(join(folder, "tollgate.db"), path)
}
