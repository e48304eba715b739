import { LedgerError } from "../ledger-error.ts"
import type { PostgresClient, Statements, Transaction } from "./client.ts"
import { areInstalled, installRoutines } from "./routines/routines.ts"

/** The schema that a program requires in a database. */
export interface Schema {
  /** The version after the first step. Pre-release builds have lower versions. */
  readonly firstVersion: number
  /** The steps in order. A released step is never edited. Each change is a new step. */
  readonly steps: readonly SchemaStep[]
  /**
   * `CREATE OR REPLACE` statements by name. Each is executed when its text has changed. Programs with an older schema
   * never replace them, so a change that must last also requires a step, which may be empty. If a signature changes,
   * the file must also drop the old routine when no supported program calls it any more.
   */
  readonly routines: Readonly<Record<string, string>>
}

/** One step of the schema. */
export interface SchemaStep {
  /** SQL statements, separated by semicolons. */
  readonly sql: string
  /**
   * The schema version of the oldest programs that still work after this step. A step that only adds tables or columns
   * keeps this number. A step that removes something is released one version after the last program that used it.
   */
  readonly oldest: number
}

/** The state of a database's schema. */
export interface SchemaState {
  /** The version of the schema; 0 for a database without Tollgate's tables. */
  readonly version: number
  /** The schema version of the oldest programs that work with the database. */
  readonly oldest: number
}

/** The number of the advisory lock for schema changes, which is "tollgate" as a number. */
const LOCK = 8389772276738384741n

const EMPTY: SchemaState = { version: 0, oldest: 0 }

const VERSION_TABLES = `
CREATE TABLE IF NOT EXISTS tollgate_schema (version int NOT NULL, oldest int NOT NULL);
-- The installed routines, and the SHA-256 of the text they were created with.
CREATE TABLE IF NOT EXISTS tollgate_routines (name text COLLATE "C" PRIMARY KEY, hash text NOT NULL);
`

/** Reads the state of a database's schema. */
export async function schemaState(statements: Statements): Promise<SchemaState> {
  const found = await statements.row<{ exists: boolean }>(
    "SELECT to_regclass('tollgate_schema') IS NOT NULL AS exists",
  )
  if (found?.exists !== true) return EMPTY
  return (await statements.row<SchemaState>("SELECT version, oldest FROM tollgate_schema")) ?? EMPTY
}

/** Returns the newest version of a schema. */
export function newestOf({ firstVersion, steps }: Schema): number {
  return firstVersion - 1 + steps.length
}

/**
 * Migrates a database to the newest schema and routines. Even if many processes start at the same time, each step is
 * performed only once. An interrupted migration continues with the interrupted step.
 * @throws LedgerError `other_version` if its schema is incompatible or of a pre-release build,
 *   `encoding` if the database does not store every character.
 */
export async function migrate(client: PostgresClient, schema: Schema): Promise<SchemaState> {
  await requireEncoding(client)
  const before = await schemaState(client)
  const newest = newestOf(schema)
  if (before.version >= newest) {
    const isUpToDate = before.version > newest || (await areInstalled(client, schema.routines))
    return requireUsable(isUpToDate ? before : await migrateTo(client, schema, newest), schema)
  }
  rejectUnreleased(before, schema)
  // Tables that are in use are locked for one step at a time. An empty database gets all steps in one transaction.
  let state = before
  while (state.version < newest) {
    state = await migrateTo(client, schema, state.version === 0 ? newest : state.version + 1)
  }
  // Old statistics would lead to query plans for the old tables.
  await client.longTransaction((statements) => statements.run("ANALYZE"), "READ COMMITTED")
  return requireUsable(state, schema)
}

/** The only encoding that supports every character that callers and providers send. */
const ENCODING = "UTF8"

async function requireEncoding(statements: Statements): Promise<void> {
  const row = await statements.row<{ encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  )
  const encoding = row?.encoding ?? ENCODING
  if (encoding === ENCODING) return
  throw new LedgerError(
    "encoding",
    `the database has the encoding ${encoding}, and Tollgate needs ${ENCODING}: create another database (CREATE DATABASE tollgate ENCODING '${ENCODING}' TEMPLATE template0) and set database.url to it`,
  )
}

/**
 * Performs the missing steps up to a version in one transaction. After the last step, it also installs the routines.
 */
function migrateTo(client: PostgresClient, schema: Schema, version: number): Promise<SchemaState> {
  // No time limit applies, because steps on large tables and migrations of other processes can take a long time.
  return client.longTransaction(async (statements) => {
    await statements.script("SET LOCAL lock_timeout = 0")
    await statements.run("SELECT pg_advisory_xact_lock($1)", [LOCK])
    // While a table change waits for transactions that use the table, all other transactions wait for the change.
    await statements.script("SET LOCAL lock_timeout = '10s'")
    // Another process may have migrated the database in the meantime.
    const present = await schemaState(statements)
    if (present.version > version) return present
    if (version === newestOf(schema)) {
      await statements.script(VERSION_TABLES)
      await installRoutines(statements, schema.routines)
    }
    if (present.version < version) await performSteps(statements, schema, present.version, version)
    return await schemaState(statements)
  }, "READ COMMITTED")
}

async function performSteps(
  statements: Transaction,
  { firstVersion, steps }: Schema,
  from: number,
  to: number,
): Promise<void> {
  const missing = steps.slice(Math.max(0, from - firstVersion + 1), to - firstVersion + 1)
  for (const { sql } of missing) await statements.script(sql)
  await statements.run("DELETE FROM tollgate_schema")
  await statements.run("INSERT INTO tollgate_schema (version, oldest) VALUES ($1, $2)", [
    BigInt(to),
    BigInt(missing.at(-1)?.oldest ?? 0),
  ])
}

/**
 * Checks that this program supports a database's schema.
 * @throws LedgerError `other_version` if not.
 */
export function requireUsable(state: SchemaState, schema: Schema): SchemaState {
  const newest = newestOf(schema)
  rejectUnreleased(state, schema)
  if (state.version < newest) {
    throw new LedgerError(
      "other_version",
      `the database has schema ${state.version}, this Tollgate needs ${newest}: run tollgate database migrate`,
    )
  }
  if (state.oldest > newest) {
    throw new LedgerError(
      "other_version",
      `the database has schema ${state.version}, which this Tollgate (schema ${newest}) does not support: start a newer version`,
    )
  }
  return state
}

/**
 * Rejects schemas that no step upgrades.
 * @throws LedgerError `other_version`.
 */
function rejectUnreleased({ version }: SchemaState, { firstVersion }: Schema): void {
  if (version === 0 || version >= firstVersion) return
  throw new LedgerError(
    "other_version",
    `the database has schema ${version} of a pre-release build, which cannot be upgraded: set database.url to an empty database, or use the build that created it`,
  )
}
