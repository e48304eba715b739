import type { Database } from "bun:sqlite"

/** The tables of a file. `user_version` in the file is the version after the last step that was performed. */
export interface Schema {
  /** The name of the file in error messages, such as `the database`. */
  readonly file: string
  /** The steps in order. A released step is never edited. Each change is a new step. */
  readonly steps: readonly string[]
  /** The version after the first step; 1 if absent. Lower versions cannot be upgraded. */
  readonly firstVersion?: number
  /** Removes the tables of a version that cannot be upgraded; if absent, such a version is an error. */
  readonly discard?: (database: Database) => void
}

/** The error for a file whose schema this program does not support. */
export class SchemaError extends Error {
  override readonly name = "SchemaError"
}

/**
 * Migrates a file to the newest version of its schema, in one transaction.
 * @throws SchemaError if another program, a newer version of Tollgate or a pre-release build has written the file.
 */
export function migrate(database: Database, schema: Schema): void {
  database.run("BEGIN IMMEDIATE")
  try {
    performSteps(database, schema)
    database.run("COMMIT")
  } catch (error) {
    // If the disk is full, SQLite has already rolled back the transaction.
    if (database.inTransaction) database.run("ROLLBACK")
    throw error
  }
}

/**
 * Whether a file has the newest version.
 * @throws SchemaError if its version cannot be upgraded.
 */
export function isNewestSchema(database: Database, schema: Schema): boolean {
  const version = versionOf(database)
  requireSupported(schema, version)
  return version === newestOf(schema)
}

/**
 * Requires the newest version in a file that is only read.
 * @throws SchemaError
 */
export function requireNewestSchema(database: Database, schema: Schema): void {
  if (isNewestSchema(database, schema)) return
  throw new SchemaError(
    `${schema.file} was written by an older Tollgate (schema ${versionOf(database)}, this one reads ${newestOf(schema)}): start this version on it once, or on a copy of its folder`,
  )
}

function performSteps(database: Database, schema: Schema): void {
  const { steps, firstVersion = 1, discard } = schema
  // If another process has performed the steps in the meantime, SQLite still caches the old tables until a table is
  // read.
  hasTables(database)
  let version = versionOf(database)
  const newest = newestOf(schema)
  if (version === newest) return
  try {
    requireSupported(schema, version)
    if (version === 0 && hasTables(database)) throw foreignTables(schema)
  } catch (error) {
    if (!discard) throw error
    discard(database)
    version = 0
  }
  for (const step of steps.slice(Math.max(0, version - firstVersion + 1))) database.run(step)
  database.run(`PRAGMA user_version = ${newest}`)
}

/**
 * Requires an empty file, or a version that can be upgraded.
 * @throws SchemaError
 */
function requireSupported(schema: Schema, version: number): void {
  const { file, firstVersion = 1 } = schema
  const newest = newestOf(schema)
  if (version > newest) {
    throw new SchemaError(
      `${file} was written by a newer Tollgate (schema ${version}, this version supports ${newest}): start that version, or restore a backup`,
    )
  }
  if (version === 0 || version >= firstVersion) return
  throw new SchemaError(
    `${file} was written by a pre-release build (schema ${version}), which cannot be upgraded: start with an empty data folder, or use the build that wrote it`,
  )
}

function foreignTables({ file }: Schema): SchemaError {
  return new SchemaError(`${file} contains the tables of another program`)
}

/** Returns the newest version of a schema. */
export function newestOf({ steps, firstVersion = 1 }: Schema): number {
  return firstVersion - 1 + steps.length
}

export function versionOf(database: Database): number {
  const row = database.query<{ user_version: bigint | number }, []>("PRAGMA user_version").get()
  return Number(row?.user_version ?? 0)
}

function hasTables(database: Database): boolean {
  return database.query("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== null
}
