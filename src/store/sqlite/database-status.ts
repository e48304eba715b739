import type { Database } from "bun:sqlite"
import { readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { DatabasePart, DatabaseStatus, SchemaVersions } from "../database-status.ts"
import { LedgerError } from "../ledger-error.ts"
import { hasContent } from "./database-file.ts"
import { asLedgerError } from "./explain-error.ts"
import { newestOf, requireNewestSchema, SchemaError, versionOf } from "./migrate.ts"
import { Nodes } from "./nodes.ts"
import { openForReading } from "./open-for-reading.ts"
import { LEDGER_SCHEMA } from "./schemas/ledger.ts"

/** Matches the name of a database file or of its log file. */
const FILE = /^(?<name>.+\.db)(?:-wal)?$/

/**
 * Returns the status of a database without creating anything.
 * @param path the path of the ledger.
 */
export function databaseStatus(path: string): DatabaseStatus {
  const parts = filesIn(dirname(path))
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  const ledger = hasContent(path) ? inspect(path) : NO_LEDGER
  return { engine: "SQLite", place: path, bytes, parts, ...ledger }
}

type Ledger = Pick<DatabaseStatus, "version" | "schema" | "nodes">

const NO_LEDGER: Ledger = {
  version: "-",
  schema: {
    found: 0,
    known: newestOf(LEDGER_SCHEMA),
    fault: "it has no tables yet: the first start creates them",
  },
  nodes: null,
}

function inspect(path: string): Ledger {
  try {
    using database = openForReading(path)
    const row = database.query<{ version: string }, []>("SELECT sqlite_version() AS version").get()
    const schema = versionsOf(database)
    const nodes = schema.fault === null ? new Nodes(database).list() : null
    return { version: row?.version ?? "-", schema, nodes }
  } catch (error) {
    throw asLedgerError(path, error)
  }
}

function versionsOf(database: Database): SchemaVersions {
  const versions = { found: versionOf(database), known: newestOf(LEDGER_SCHEMA) }
  try {
    requireNewestSchema(database, LEDGER_SCHEMA)
    return { ...versions, fault: null }
  } catch (error) {
    if (error instanceof SchemaError) return { ...versions, fault: error.message }
    throw error
  }
}

function filesIn(folder: string): DatabasePart[] {
  const sizes = new Map<string, number>()
  for (const file of namesIn(folder)) {
    const name = FILE.exec(file)?.groups?.["name"]
    const size = statSync(join(folder, file), { throwIfNoEntry: false })?.size
    if (name !== undefined && size !== undefined) sizes.set(name, (sizes.get(name) ?? 0) + size)
  }
  return [...sizes]
    .map(([name, bytes]) => ({ name, bytes, partitions: 0 }))
    .toSorted((left, right) => right.bytes - left.bytes)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw new LedgerError("unavailable", `the folder ${folder} cannot be read`, error)
  }
}
