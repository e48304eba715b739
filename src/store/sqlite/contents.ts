import { Database } from "bun:sqlite"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import type { ContentRecord } from "../payload-log.ts"
import { makePrivateFile } from "../private-file.ts"
import { migrate } from "./migrate.ts"
import { CONTENTS_SCHEMA } from "./schemas/contents.ts"
import { useWriteAheadLog } from "./write-ahead-log.ts"

/** How long one process waits for another, milliseconds. */
const BUSY_TIME = 10_000

/**
 * Where prompts and answers are kept: in a file of its own next to the ledger, which exists only once
 * an account wanted it.
 */
export function contentsPath(databasePath: string): string {
  return join(dirname(databasePath), "contents.db")
}

/** Prompts and answers, on the reports' thread. */
export class Contents implements Disposable {
  readonly #path: string
  #database: Database | undefined

  constructor(databasePath: string) {
    this.#path = contentsPath(databasePath)
  }

  keep(record: ContentRecord): void {
    this.#open().run("INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?, ?)", [
      record.request,
      record.account,
      BigInt(record.at),
      record.asked,
      record.answered,
    ])
  }

  find(request: string): ContentRecord | null {
    if (!existsSync(this.#path)) return null
    const row = this.#open()
      .query<Omit<ContentRecord, "at"> & { at: bigint }, [string]>(
        "SELECT request, account, at, asked, answered FROM contents WHERE request = ?",
      )
      .get(request)
    return row ? { ...row, at: Number(row.at) } : null
  }

  /** Deletes what is older. What is deleted is also gone from the file. */
  sweep(before: number): void {
    if (!existsSync(this.#path)) return
    this.#open().run("DELETE FROM contents WHERE at < ?", [BigInt(before)])
  }

  #open(): Database {
    if (this.#database) return this.#database
    makePrivateFile(this.#path)
    const database = new Database(this.#path, { create: true, strict: true, safeIntegers: true })
    database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
    useWriteAheadLog(database)
    database.run("PRAGMA synchronous = NORMAL")
    database.run("PRAGMA secure_delete = ON")
    migrate(database, CONTENTS_SCHEMA)
    this.#database = database
    return database
  }

  [Symbol.dispose](): void {
    this.#database?.close()
  }
}
