import { Database } from "bun:sqlite"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { SecretFolder } from "../../secrets/secret-folder.ts"
import type { CopiedFile, CopiedRow, CopySource, CopiedValue } from "../copy/copy.ts"
import type { CopiedTable } from "../copy/tables.ts"
import type { FileKind } from "../kept-files.ts"
import { LedgerError } from "../ledger-error.ts"
import { contentsPath } from "./log-file.ts"
import { conversationsPath } from "./conversations-file.ts"
import { type CopiedFileName, fileOf, sqliteNames } from "./copy-tables.ts"
import { asLedgerError } from "./explain-error.ts"
import { RESPONSE_LIFETIME_MS, EXPIRY, PART } from "./folder-files.ts"
import { requireNewestSchema, type Schema } from "./migrate.ts"
import { LEDGER_SCHEMA } from "./schemas/ledger.ts"
import { CONSOLE_SCHEMA } from "./schemas/console.ts"
import { CONTENTS_SCHEMA } from "./schemas/contents.ts"
import { CONVERSATIONS_SCHEMA } from "./schemas/conversations.ts"

/** Maximum time that the copy waits for a running write. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Performs a step that copies a ledger and the files next to it. During the step, all of them are locked against
 * writes.
 * @param path the path of the ledger.
 * @throws LedgerError `not_found`, `unavailable` if a gateway is running, `other_version`.
 */
export async function copyFromSqlite<T>(
  path: string,
  step: (source: CopySource) => Promise<T>,
): Promise<T> {
  if (!existsSync(path)) throw new LedgerError("not_found", `there is no ledger at ${path}`)
  using files = new LockedFiles(path)
  try {
    files.lock()
  } catch (error) {
    throw asLedgerError(path, error)
  }
  return await step({
    secrets: new SecretFolder(dirname(path)),
    findBeginning: async () => files.beginning(),
    async *rows(table) {
      yield* batchesOf(files.rows(table))
    },
    async *files(kind) {
      yield* filesIn(join(dirname(path), kind), kind)
    },
  })
}

class LockedFiles implements Disposable {
  readonly #path: string
  readonly #files = new Map<CopiedFileName, Database>()

  constructor(path: string) {
    this.#path = path
  }

  lock(): void {
    const directory = dirname(this.#path)
    this.#lock("ledger", this.#path, LEDGER_SCHEMA)
    this.#lock("console", join(directory, "console.db"), CONSOLE_SCHEMA)
    this.#lock("contents", contentsPath(this.#path), CONTENTS_SCHEMA)
    this.#lock("conversations", conversationsPath(this.#path), CONVERSATIONS_SCHEMA)
    const row = this.#files
      .get("ledger")
      ?.query<{ nodes: bigint }, []>(
        "SELECT (SELECT count(*) FROM nodes) + (SELECT count(*) FROM holds) AS nodes",
      )
      .get()
    if (row?.nodes === 0n) return
    throw new LedgerError(
      "unavailable",
      `a gateway is running on ${this.#path}, or was killed: start it and stop it, so that it returns its leases`,
    )
  }

  beginning(): number | null {
    const row = this.#files
      .get("ledger")
      ?.query<{ at: bigint | null }, []>(
        "SELECT min(at) AS at FROM entries WHERE receipt IS NOT NULL",
      )
      .get()
    return row?.at ? Number(row.at) : null
  }

  *rows(table: CopiedTable): Generator<CopiedRow> {
    const database = this.#files.get(fileOf(table))
    if (!database) return
    const statement = database.prepare<Record<string, CopiedRow[number]>, []>(selectOf(table))
    for (const row of statement.iterate()) yield table.columns.map((column) => row[column] ?? null)
    statement.finalize()
  }

  #lock(name: CopiedFileName, path: string, schema: Schema): void {
    if (!existsSync(path)) return
    const database = new Database(path, { readwrite: true, strict: true, safeIntegers: true })
    this.#files.set(name, database)
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    requireNewestSchema(database, schema)
    database.run("BEGIN IMMEDIATE")
  }

  [Symbol.dispose](): void {
    for (const database of this.#files.values()) {
      if (database.inTransaction) database.run("ROLLBACK")
      database.close()
    }
  }
}

/** Returns the query for a table's rows, in the order of their creation if it is known. */
function selectOf(table: CopiedTable): string {
  if (table.name === "revisions") {
    return "SELECT 'keys' AS name, number FROM revision UNION ALL SELECT 'settings', number FROM settings_revision"
  }
  const names = sqliteNames(table)
  const columns = names.columns.map((column, index) => `${column} AS ${table.columns[index]}`)
  const order = ORDERED.has(table.name) ? " ORDER BY 1" : ""
  return `SELECT ${columns.join(", ")} FROM ${names.table}${order}`
}

const ORDERED: ReadonlySet<string> = new Set(["audit", "write_offs", "entries"])

function* filesIn(folder: string, kind: FileKind): Generator<CopiedFile> {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry
    if (!entry.isFile() || PART.test(name)) continue
    const path = join(folder, name)
    const lifetime = (kind === "images" ? expiryIn(name) : expiryOf(path)) - Date.now()
    if (lifetime > 0) yield { name, bytes: new Uint8Array(readFileSync(path)), lifetime }
  }
}

function expiryIn(name: string): number {
  const [, expires] = EXPIRY.exec(name) ?? []
  return Number(expires ?? 0)
}

function expiryOf(path: string): number {
  return statSync(path).mtimeMs + RESPONSE_LIFETIME_MS
}

/** Maximum number of rows, and maximum bytes, of one batch in memory. */
const MAX_ROWS = 1_000
const MAX_BYTES = 4 * 1024 * 1024

/** Divides rows into small batches, so that they need little memory. */
function* batchesOf(rows: Iterable<CopiedRow>): Generator<readonly CopiedRow[]> {
  let batch: CopiedRow[] = []
  let bytes = 0
  for (const row of rows) {
    batch.push(row)
    bytes += row.reduce((sum: number, value) => sum + sizeOf(value), 0)
    if (batch.length < MAX_ROWS && bytes < MAX_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

function sizeOf(value: CopiedValue): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : 0
}
