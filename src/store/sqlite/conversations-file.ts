import { Database, SQLiteError } from "bun:sqlite"
import { rmSync, statSync } from "node:fs"
import { makePrivateFile } from "../private-file.ts"
import { useWriteAheadLog } from "./write-ahead-log.ts"

/** How long one process waits for another, milliseconds. Whoever asks for another answer waits behind it. */
const BUSY_TIME = 2_000
/** What SQLite says of a file that nothing can be read of any more, or of one whose log has lost its end. */
const DAMAGED = ["SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ"]
/** Goes up with each change of `SCHEMA`. */
const VERSION = 1
/** Of all accounts together; no account is called so. */
export const EVERYBODY = ""

const SCHEMA = `
CREATE TABLE parts (
  hash TEXT PRIMARY KEY,
  answer TEXT NOT NULL,
  account TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX parts_by_answer ON parts (answer);
CREATE INDEX parts_by_account ON parts (account, at);
CREATE INDEX parts_by_time ON parts (at);
CREATE INDEX parts_by_expiry ON parts (expires_at);
CREATE TABLE sizes (account TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
CREATE INDEX sizes_by_bytes ON sizes (bytes);
CREATE TRIGGER parts_kept AFTER INSERT ON parts BEGIN
  INSERT INTO sizes VALUES (new.account, new.bytes), ('${EVERYBODY}', new.bytes)
    ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER parts_deleted AFTER DELETE ON parts BEGIN
  UPDATE sizes SET bytes = bytes - old.bytes WHERE account IN (old.account, '${EVERYBODY}');
  DELETE FROM sizes WHERE account = old.account AND bytes <= 0;
END;
`

/** Tables that are not those of this version. */
class OtherVersion extends Error {}

/** The file as long as it is the one at its path and can be read. */
export class ConversationFile {
  readonly #path: string
  #open: { readonly database: Database; readonly inode: number } | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** @throws Error also where the file was damaged: it is begun again, and whoever asks next has a new one. */
  use<Result>(step: (database: Database) => Result): Result {
    try {
      return step(this.#current())
    } catch (error) {
      if (isDamage(error)) this.#beginAgain()
      throw error
    }
  }

  close(): void {
    this.#open?.database.close()
    this.#open = undefined
  }

  /** Somebody may have deleted it, or another process begun it again. */
  #current(): Database {
    if (this.#open && this.#open.inode !== inodeOf(this.#path)) this.close()
    this.#open ??= opened(this.#path)
    return this.#open.database
  }

  #beginAgain(): void {
    const isOurs = this.#open === undefined || this.#open.inode === inodeOf(this.#path)
    this.close()
    if (!isOurs) return
    for (const end of ["-wal", "-shm", ""]) rmSync(this.#path + end, { force: true })
  }
}

function opened(path: string): { readonly database: Database; readonly inode: number } {
  makePrivateFile(path)
  const database = new Database(path, { create: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
    useWriteAheadLog(database)
    database.run("PRAGMA synchronous = NORMAL")
    database.run("PRAGMA secure_delete = ON")
    database.transaction(() => makeSchema(database)).immediate()
  } catch (error) {
    database.close()
    throw error
  }
  return { database, inode: inodeOf(path) }
}

/** @throws OtherVersion where the tables of another one are there. */
function makeSchema(database: Database): void {
  const found = database
    .query<{ version: number; tables: number }, []>(
      "SELECT user_version AS version, (SELECT COUNT(*) FROM sqlite_schema) AS tables FROM pragma_user_version",
    )
    .get()
  if (found?.version === VERSION) return
  if (found?.tables !== 0) throw new OtherVersion("the file is of another version of Tollgate")
  database.run(SCHEMA)
  database.run(`PRAGMA user_version = ${VERSION}`)
}

/** 0 where there is none. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0
}

function isDamage(error: unknown): boolean {
  if (error instanceof OtherVersion) return true
  if (!(error instanceof SQLiteError)) return false
  const { code = "" } = error
  return DAMAGED.some((damage) => code.startsWith(damage))
}
