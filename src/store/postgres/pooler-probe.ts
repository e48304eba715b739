import { LedgerError } from "../ledger-error.ts"
import type { ConnectionPool } from "./connection-pool.ts"
import { PostgresFailure } from "./failure.ts"

/** Number of concurrent callers, which is enough to make a pooler share connections. */
const CALLERS = 4
const ROUNDS = 8
const TIMEOUT_MS = 8_000

/**
 * SQLSTATEs that mean that the prepared statement does not exist, or that its name belongs to a different statement.
 */
const NOT_PREPARED = new Set(["26000", "42P05", "08P01"])

/**
 * Checks that each connection has its own prepared statements. A pooler in transaction mode without support for them
 * (PgBouncer before 1.21) runs the statement of one client for another client, without an error.
 * @throws LedgerError `unavailable` if statements are mixed up.
 */
export async function probePooler(pool: ConnectionPool, place: string): Promise<void> {
  const areCorrect = await Promise.all(
    Array.from({ length: CALLERS }, (_, caller) =>
      pool.use(TIMEOUT_MS, (own) => answersCorrectly(own, caller)),
    ),
  )
  if (areCorrect.every(Boolean)) return
  throw new LedgerError(
    "unavailable",
    `the pooler at ${place} mixes up prepared statements: use PgBouncer 1.21 or newer, let it pool sessions, ` +
      "or set database.prepared_statements: false",
  )
}

type Connection = Parameters<Parameters<ConnectionPool["use"]>[1]>[0]

async function answersCorrectly(connection: Connection, caller: number): Promise<boolean> {
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const [row] = await connection.query<{ response: string }>(
        `SELECT 'caller ${caller}, ' || $1::text AS response`,
        [String(round)],
      )
      if (row?.response !== `caller ${caller}, ${round}`) return false
    }
    return true
  } catch (error) {
    if (error instanceof PostgresFailure && NOT_PREPARED.has(error.code)) return false
    throw error
  }
}
