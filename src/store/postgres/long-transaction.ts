import { statementsOn, type Transaction } from "./client.ts"
import { ConnectionPool, type PoolOptions } from "./connection-pool.ts"

/** Weeks: a copy ends when it has ended. Milliseconds. */
const PATIENCE = 2 ** 31 - 1

/** For no time limit of the server, whose own are for what serves. */
const UNHURRIED =
  "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '10s'"

/**
 * A transaction that takes as long as it takes, on a connection of its own. All of it sees one state, and it is not
 * repeated.
 * @param after runs on the same connection when it is committed.
 * @throws PostgresFailure: then nothing was changed.
 */
export async function longTransaction<T>(
  options: Omit<PoolOptions, "max">,
  step: (transaction: Transaction) => Promise<T>,
  after?: string,
): Promise<T> {
  await using pool = new ConnectionPool({ ...options, max: 1 })
  return await pool.use(PATIENCE, async (connection) => {
    await connection.script(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${UNHURRIED}`)
    const result = await step(statementsOn(connection))
    await connection.script("COMMIT")
    if (after !== undefined) await connection.script(after)
    return result
  })
}
