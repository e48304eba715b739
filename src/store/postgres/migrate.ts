import type { PostgresClient, Statements } from "./client.ts"
import { LedgerError } from "../ledger-error.ts"

/** One step of the schema. A step that has shipped is never edited: a change is a new step. */
export interface SchemaStep {
  /** Statements, separated by semicolons. */
  readonly sql: string
  /**
   * The oldest schema whose programs keep working after it. A step that only adds leaves it alone; one that removes what
   * an older program uses comes a version later than the one that stopped using it.
   */
  readonly oldest: number
}

/** Where a database is. */
export interface SchemaState {
  /** Steps taken; 0 for a database without tables of ours. */
  readonly version: number
  /** The oldest schema whose programs work with it. */
  readonly oldest: number
}

/** Taken by whoever changes the schema; "tollgate" as a number. */
const LOCK = 8389772276738384741n

const EMPTY: SchemaState = { version: 0, oldest: 0 }

/** Where a database is now. */
export async function schemaState(statements: Statements): Promise<SchemaState> {
  const found = await statements.row<{ exists: boolean }>(
    "SELECT to_regclass('tollgate_schema') IS NOT NULL AS exists",
  )
  if (found?.exists !== true) return EMPTY
  return (await statements.row<SchemaState>("SELECT version, oldest FROM tollgate_schema")) ?? EMPTY
}

/**
 * Brings a database to the newest schema, once, however many processes start at the same time. What is interrupted goes on
 * with the step in which it was.
 * @throws LedgerError `other_version` when a newer Tollgate has changed it so that this one does not work with it,
 *   `encoding` when the database does not store every character.
 */
export async function migrate(
  client: PostgresClient,
  steps: readonly SchemaStep[],
): Promise<SchemaState> {
  await requireEncoding(client)
  let state = await schemaState(client)
  if (state.version >= steps.length) return requireUsable(state, steps)
  while (state.version < steps.length) {
    // Tables that others use are locked for one step at a time; a database without any is made at once.
    const until = state.version === 0 ? steps.length : state.version + 1
    state = await takeSteps(client, steps.slice(0, until))
  }
  // A plan that was made for other tables would stay as they grow.
  await client.atLength((statements) => statements.run("ANALYZE"), "READ COMMITTED")
  return requireUsable(state, steps)
}

/** The one encoding that has every character that callers and providers send. */
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

/** Takes those of the steps that have not been taken, in one transaction. */
function takeSteps(client: PostgresClient, steps: readonly SchemaStep[]): Promise<SchemaState> {
  // However long a step takes on large tables, and however long another process that is at it.
  return client.atLength(async (statements) => {
    await statements.script("SET LOCAL lock_timeout = 0")
    await statements.run("SELECT pg_advisory_xact_lock($1)", [LOCK])
    // A change of a table waits for those who use it, and all others behind it: not for long.
    await statements.script("SET LOCAL lock_timeout = '10s'")
    // Another process may have been quicker.
    const { version } = await schemaState(statements)
    for (const { sql } of steps.slice(version)) await statements.script(sql)
    if (version < steps.length) await record(statements, steps)
    return await schemaState(statements)
  }, "READ COMMITTED")
}

/** @throws LedgerError `other_version` when this program does not work with a database as it is. */
export function requireUsable(state: SchemaState, steps: readonly SchemaStep[]): SchemaState {
  if (state.version < steps.length) {
    throw new LedgerError(
      "other_version",
      `the database has schema ${state.version}, this Tollgate needs ${steps.length}: run tollgate database migrate`,
    )
  }
  if (state.oldest > steps.length) {
    throw new LedgerError(
      "other_version",
      `the database has schema ${state.version}, which this Tollgate (schema ${steps.length}) does not know: start a newer one`,
    )
  }
  return state
}

async function record(statements: Statements, steps: readonly SchemaStep[]): Promise<void> {
  const oldest = steps.at(-1)?.oldest ?? 0
  await statements.run("DELETE FROM tollgate_schema")
  await statements.run("INSERT INTO tollgate_schema (version, oldest) VALUES ($1, $2)", [
    BigInt(steps.length),
    BigInt(oldest),
  ])
}
