import { type Database, SQLiteError } from "bun:sqlite"
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { inodeOf } from "./database-file.ts"
import { SchemaError } from "./migrate.ts"
import { openDatabase } from "./open-database.ts"
import { CONVERSATIONS_SCHEMA } from "./schemas/conversations.ts"

/** Maximum time that one process waits for another. Requests for other responses are delayed as well. */
const BUSY_TIMEOUT_MS = 2_000
/** SQLite's error codes for unreadable files and truncated log files. */
const DAMAGED = ["SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ"]

/**
 * Returns the path of the file of conversations, next to the ledger. The file is created when the first conversation is
 * stored.
 */
export function conversationsPath(databasePath: string): string {
  return join(dirname(databasePath), "conversations.db")
}

/** Opens the file, and opens it again if the file at its path was replaced. */
export class ConversationFile {
  readonly #path: string
  #open: { readonly database: Database; readonly inode: number } | undefined

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Performs a step on the database.
   * @throws Error also if the file is damaged. It is then deleted, and the next call creates a new one.
   */
  use<Result>(step: (database: Database) => Result): Result {
    try {
      return step(this.#current())
    } catch (error) {
      if (isDamage(error)) this.#deleteFile()
      throw error
    }
  }

  close(): void {
    this.#open?.database.close()
    this.#open = undefined
  }

  /** Returns the open database. If the file was deleted or replaced, it is opened again. */
  #current(): Database {
    if (this.#open && this.#open.inode !== inodeOf(this.#path)) this.close()
    this.#open ??= opened(this.#path)
    return this.#open.database
  }

  #deleteFile(): void {
    const isSameFile = this.#open === undefined || this.#open.inode === inodeOf(this.#path)
    this.close()
    if (!isSameFile) return
    for (const end of ["-wal", "-shm", ""]) rmSync(this.#path + end, { force: true })
  }
}

function opened(path: string): { readonly database: Database; readonly inode: number } {
  const database = openDatabase(path, {
    schema: CONVERSATIONS_SCHEMA,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    synchronous: "NORMAL",
    pragmas: ["secure_delete = ON"],
    safeIntegers: false,
  })
  return { database, inode: inodeOf(path) }
}

function isDamage(error: unknown): boolean {
  if (error instanceof SchemaError) return true
  if (!(error instanceof SQLiteError)) return false
  const { code = "" } = error
  return DAMAGED.some((damage) => code.startsWith(damage))
}
