import type { Database } from "bun:sqlite"

/** The tables of a file, as the steps that lead to them. `user_version` says how many have been taken. */
export interface Schema {
  /** What errors call the file: `the database`. */
  readonly file: string
  /** One after the other. A step that has shipped is never edited: a change is a new step. */
  readonly steps: readonly string[]
  /** The oldest version that the steps do not begin from; absent: they begin from nothing. */
  readonly dropped?: number
  /** The tables may be there in a file without a version. */
  readonly wasUnversioned?: true
  /** Removes the tables of a version that the steps do not lead on from. Absent: it is an error. */
  readonly discard?: (database: Database) => void
}

/** A file whose tables are not of a version that this program can use. */
export class SchemaError extends Error {
  override readonly name = "SchemaError"
}

/**
 * Brings a file to the newest version of its schema, in one transaction.
 * @throws SchemaError when a newer Tollgate, or another program, has written it.
 */
export function migrate(database: Database, schema: Schema): void {
  database.run("BEGIN IMMEDIATE")
  try {
    takeSteps(database, schema)
    database.run("COMMIT")
  } catch (error) {
    // A full disk has ended the transaction already.
    if (database.inTransaction) database.run("ROLLBACK")
    throw error
  }
}

/** @throws SchemaError when a newer Tollgate has written a file. @returns whether it is of the newest version. */
export function refuseNewerSchema(database: Database, schema: Schema): boolean {
  const version = versionOf(database)
  if (version > newestOf(schema)) throw newerSchema(schema, version)
  return version === newestOf(schema)
}

/** @throws SchemaError when a file that is only read is of another version than the newest. */
export function requireNewestSchema(database: Database, schema: Schema): void {
  const version = versionOf(database)
  const newest = newestOf(schema)
  if (version === newest) return
  if (version > newest) throw newerSchema(schema, version)
  throw new SchemaError(
    `${schema.file} was written by an older Tollgate (schema ${version}, this one reads ${newest}): start this version on it once, or on a copy of its folder`,
  )
}

function takeSteps(database: Database, schema: Schema): void {
  const { steps, dropped = 0, discard } = schema
  // Who has waited while another process took the steps would go on with the tables as they were: SQLite looks again only
  // when a table is read.
  hasTables(database)
  let version = versionOf(database)
  const newest = newestOf(schema)
  if (version === newest) return
  const fault = faultOf(database, schema, version)
  if (fault) {
    if (!discard) throw fault
    discard(database)
    version = 0
  }
  for (const step of steps.slice(Math.max(0, version - dropped))) database.run(step)
  database.run(`PRAGMA user_version = ${newest}`)
}

/** Why the steps do not lead on from a version. */
function faultOf(database: Database, schema: Schema, version: number): SchemaError | undefined {
  const { file, dropped = 0, wasUnversioned = false } = schema
  if (version > newestOf(schema)) return newerSchema(schema, version)
  if (version === 0) {
    if (wasUnversioned || !hasTables(database)) return undefined
    return new SchemaError(`${file} holds the tables of another program`)
  }
  return version > dropped
    ? undefined
    : new SchemaError(`${file} is of schema ${version}, which this Tollgate has no way on from`)
}

export function newestOf({ steps, dropped = 0 }: Schema): number {
  return dropped + steps.length
}

function newerSchema(schema: Schema, version: number): SchemaError {
  return new SchemaError(
    `${schema.file} was written by a newer Tollgate (schema ${version}, this one knows ${newestOf(schema)}): start that version, or restore a backup`,
  )
}

export function versionOf(database: Database): number {
  const row = database.query<{ user_version: bigint | number }, []>("PRAGMA user_version").get()
  return Number(row?.user_version ?? 0)
}

function hasTables(database: Database): boolean {
  return database.query("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== null
}
