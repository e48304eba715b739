import { perEngine, type PerEngine, sql } from "./sql.ts"
import { row, type Step } from "./step.ts"

/** The revisions that nodes poll to detect changes, as SELECTs of `number`. */
export const REVISIONS = {
  keys: perEngine({
    sqlite: sql`SELECT number FROM revision`,
    postgresql: sql`SELECT number FROM revisions WHERE name = 'keys'`,
  }),
  settings: perEngine({
    sqlite: sql`SELECT number FROM settings_revision`,
    postgresql: sql`SELECT number FROM revisions WHERE name = 'settings'`,
  }),
} satisfies Record<string, PerEngine>

const UPDATE_REVISIONS = {
  keys: perEngine({
    sqlite: sql`UPDATE revision SET number = number + 1`,
    postgresql: sql`UPDATE revisions SET number = number + 1 WHERE name = 'keys'`,
  }),
  settings: perEngine({
    sqlite: sql`UPDATE settings_revision SET number = number + 1`,
    postgresql: sql`UPDATE revisions SET number = number + 1 WHERE name = 'settings'`,
  }),
} satisfies Record<keyof typeof REVISIONS, PerEngine>

/**
 * Returns the next revision. PostgreSQL locks its row until the transaction ends, so that a higher revision never
 * becomes visible before a lower one. Readers of the changes after a revision therefore miss no change. Every
 * transaction calls this after it has locked accounts, keys and balances, and before it locks the end of the audit log.
 */
export function* nextRevision(name: keyof typeof REVISIONS): Step<bigint> {
  const next = yield* row<{ number: bigint }>(sql`${UPDATE_REVISIONS[name]} RETURNING number`)
  if (!next) throw new Error(`the database has no revision of '${name}'`)
  return next.number
}
