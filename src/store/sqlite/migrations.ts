import type { Database } from "bun:sqlite"
import { BookError } from "../book-error.ts"
import { BOOK } from "./migrations/1-book.ts"
import { CHARGES } from "./migrations/2-charges.ts"
import { CREDITS } from "./migrations/3-credits.ts"
import { REPORTS } from "./migrations/4-reports.ts"
import { MEMBERS } from "./migrations/5-members.ts"
import { SETTINGS } from "./migrations/6-settings.ts"
import { NODES } from "./migrations/7-nodes.ts"
import { WRITE_OFFS } from "./migrations/8-write-offs.ts"
import { VENDOR_STATE } from "./migrations/9-vendor-state.ts"
import { IDEMPOTENCY } from "./migrations/10-idempotency.ts"
import { DEBTS } from "./migrations/11-debts.ts"
import { KEY_ORIGINS } from "./migrations/12-key-origins.ts"
import { ALIASES } from "./migrations/13-aliases.ts"

/**
 * The schema, one step after the other. A step that has shipped is never edited: a change is a new
 * step. `user_version` says how many have been taken.
 */
const MIGRATIONS: readonly string[] = [
  BOOK,
  CHARGES,
  CREDITS,
  REPORTS,
  MEMBERS,
  SETTINGS,
  NODES,
  WRITE_OFFS,
  VENDOR_STATE,
  IDEMPOTENCY,
  DEBTS,
  KEY_ORIGINS,
  ALIASES,
]

/** @throws BookError when a database that is only looked at has another schema. */
export function requireNewestSchema(database: Database): void {
  const version = schemaOf(database)
  if (version > MIGRATIONS.length) throw newerSchema(version)
  if (version === MIGRATIONS.length) return
  throw new BookError(
    "other_version",
    `the database was written by an older Tollgate (schema ${version}, this one reads ${MIGRATIONS.length}): start this version on it once, or on a copy of its folder`,
  )
}

function schemaOf(database: Database): number {
  const row = database.query<{ user_version: bigint | number }, []>("PRAGMA user_version").get()
  return Number(row?.user_version ?? 0)
}

function newerSchema(version: number): BookError {
  return new BookError(
    "other_version",
    `the database was written by a newer Tollgate (schema ${version}, this one knows ${MIGRATIONS.length}): start that version, or restore a backup`,
  )
}

/**
 * Brings a database to the newest schema.
 * @throws BookError when a newer Tollgate has written it.
 */
export function migrate(database: Database): void {
  database.run("BEGIN IMMEDIATE")
  try {
    const version = schemaOf(database)
    if (version > MIGRATIONS.length) throw newerSchema(version)
    for (const step of MIGRATIONS.slice(version)) database.run(step)
    database.run(`PRAGMA user_version = ${MIGRATIONS.length}`)
    database.run("COMMIT")
  } catch (error) {
    // A full disk has ended the transaction already.
    if (database.inTransaction) database.run("ROLLBACK")
    throw error
  }
}
