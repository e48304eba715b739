import type { Database, Statement } from "bun:sqlite"
import { mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type InstallationSecrets, SECRET_NAMES } from "../../secrets/installation-secrets.ts"
import { writeSecret } from "../../secrets/secret-folder.ts"
import {
  copyAll,
  type CopiedFile,
  type CopiedRow,
  type CopyCheck,
  type CopyCounts,
  type CopySource,
  type CopyTarget,
} from "../copy/copy.ts"
import type { CopiedTable } from "../copy/tables.ts"
import type { FileKind } from "../kept-files.ts"
import { contentsPath } from "./log-file.ts"
import { conversationsPath } from "./conversations-file.ts"
import { type CopiedFileName, fileOf, sqliteNames } from "./copy-tables.ts"
import { copyPath } from "./database-file.ts"
import { requireNothing } from "./nothing-there.ts"
import { DirectFile } from "./direct-file.ts"
import { asLedgerError } from "./explain-error.ts"
import { RESPONSE_LIFETIME_MS } from "./folder-files.ts"
import type { Schema } from "./migrate.ts"
import { openDatabase } from "./open-database.ts"
import { LEDGER_SCHEMA } from "./schemas/ledger.ts"
import { CONSOLE_SCHEMA } from "./schemas/console.ts"
import { CONTENTS_SCHEMA } from "./schemas/contents.ts"
import { CONVERSATIONS_SCHEMA } from "./schemas/conversations.ts"
import { openSqliteReader } from "./sqlite-store.ts"

/**
 * Fills a folder from another database. The ledger gets its name last, after everything was checked. Until then no
 * gateway starts in the folder.
 * @param path the path of the ledger.
 * @throws LedgerError `exists` if the folder contains a ledger, parts of a ledger, or an unfinished copy.
 */
export async function copyToSqlite(
  path: string,
  source: CopySource,
  check: CopyCheck,
): Promise<CopyCounts> {
  requireNothing(path)
  const unfinished = copyPath(path)
  try {
    const counts = await fill(path, source)
    await using reader = new DirectFile(openSqliteReader(unfinished)).store()
    await check(reader)
    renameSync(unfinished, path)
    return counts
  } catch (error) {
    throw asLedgerError(path, error)
  }
}

async function fill(path: string, source: CopySource): Promise<CopyCounts> {
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  using files = new CopiedFiles(path)
  const target: CopyTarget = {
    write: async (table, rows) => files.write(table, rows),
    writeFile: async (kind, file) => writeKept(directory, kind, file),
    keepSecrets: async (secrets) => keepSecrets(directory, secrets),
  }
  return await copyAll(source, target)
}

/** Copies those secrets that exist. The others are created on first use. */
function keepSecrets(directory: string, secrets: InstallationSecrets): void {
  for (const name of SECRET_NAMES) {
    const secret = secrets.read(name)
    if (secret !== undefined) writeSecret(directory, name, secret)
  }
}

function writeKept(directory: string, kind: FileKind, { name, bytes, lifetime }: CopiedFile): void {
  const path = join(directory, kind, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, bytes, { mode: 0o600 })
  // The expiry of a response depends on the modification time of its file, and the expiry of an image on its name.
  const written = (Date.now() + lifetime - RESPONSE_LIFETIME_MS) / 1_000
  if (kind === "responses") utimesSync(path, written, written)
}

const SCHEMAS: Readonly<Record<CopiedFileName, Schema>> = {
  ledger: LEDGER_SCHEMA,
  console: CONSOLE_SCHEMA,
  contents: CONTENTS_SCHEMA,
  conversations: CONVERSATIONS_SCHEMA,
}

/** The files of the target while they are being written. */
class CopiedFiles implements Disposable {
  readonly #paths: Readonly<Record<CopiedFileName, string>>
  readonly #files = new Map<CopiedFileName, Database>()
  readonly #inserts = new Map<string, Statement>()

  constructor(path: string) {
    this.#paths = {
      ledger: copyPath(path),
      console: join(dirname(path), "console.db"),
      contents: contentsPath(path),
      conversations: conversationsPath(path),
    }
    this.#file("ledger")
  }

  write(table: CopiedTable, rows: readonly CopiedRow[]): void {
    const database = this.#file(fileOf(table))
    if (table.name === "revisions") return writeRevisions(database, rows)
    const insert = this.#insert(database, table)
    database.transaction(() => {
      for (const row of rows) insert.run(...row)
    })()
  }

  #file(name: CopiedFileName): Database {
    const open = this.#files.get(name)
    if (open) return open
    const path = this.#paths[name]
    const database = openDatabase(path, {
      schema: SCHEMAS[name],
      synchronous: "NORMAL",
      pragmas: ["foreign_keys = ON"],
    })
    this.#files.set(name, database)
    return database
  }

  #insert(database: Database, table: CopiedTable): Statement {
    const known = this.#inserts.get(table.name)
    if (known) return known
    const statement = database.prepare(insertOf(table))
    this.#inserts.set(table.name, statement)
    return statement
  }

  /** Closes the files when all data is on the disk. */
  [Symbol.dispose](): void {
    for (const statement of this.#inserts.values()) statement.finalize()
    for (const database of this.#files.values()) {
      database.run("PRAGMA synchronous = FULL")
      database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      database.close()
    }
  }
}

function writeRevisions(database: Database, rows: readonly CopiedRow[]): void {
  for (const [name, number] of rows) {
    const table = name === "keys" ? "revision" : "settings_revision"
    database.run(`UPDATE ${table} SET number = ?`, [number ?? 0n])
  }
}

function insertOf(table: CopiedTable): string {
  const { table: name, columns } = sqliteNames(table)
  if (table.name === "anchor" || table.name === "pruned_rows") {
    return `UPDATE ${name} SET ${columns.map((column) => `${column} = ?`).join(", ")}`
  }
  const marks = columns.map(() => "?").join(", ")
  return `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${marks})`
}
