import { Commits, NAME_TRANSACTION } from "./commits.ts"
import {
  ConnectionPool,
  type PooledConnection,
  type PoolOptions,
  type Value,
} from "./connection-pool.ts"
import type { Hosts } from "./hosts.ts"
import { isDeadline, PostgresFailure, rolledBack } from "./failure.ts"
import { probePooler } from "./pooler-probe.ts"
import { nextPauseMs, STATEMENT_RETRIES } from "../retry-policy.ts"

/**
 * Pauses between retries. Several connections may be lost together, and each retry may detect only one of them. The
 * actual pauses are random, up to these values.
 */
const RETRIES = STATEMENT_RETRIES

/** Runs statements, each separately or all in one transaction. */
export interface Statements {
  rows<Row>(text: string, values?: readonly Value[]): Promise<readonly Row[]>
  /** Returns the first row, or null. */
  row<Row>(text: string, values?: readonly Value[]): Promise<Row | null>
  /** Returns the number of changed rows. */
  run(text: string, values?: readonly Value[]): Promise<number>
}

/** Statements of one transaction. */
export interface Transaction extends Statements {
  /** Runs several statements, separated by semicolons. */
  script(text: string): Promise<void>
}

/** If all statements fail for this time, the database counts as unavailable. */
const UNAVAILABLE_AFTER_MS = 250

/** Locks held by a vanished client are released after this idle time. */
const IDLE_TIMEOUT = "SET LOCAL idle_in_transaction_session_timeout = 5000"

/** About 25 days, which is effectively no limit. */
const NO_TIMEOUT_MS = 2 ** 31 - 1
/** Disables the timeouts of the server, which are meant for serving requests. */
const NO_TIMEOUTS =
  "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '10s'"

/** The statements with which a transaction begins. */
const BEGIN_WRITE = `BEGIN; ${IDLE_TIMEOUT}; ${NAME_TRANSACTION}`
const BEGIN_READ = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${IDLE_TIMEOUT}`

/** A transaction whose COMMIT is still outstanding. */
interface Uncommitted<T> {
  readonly result: T
  readonly id: string
}

/**
 * A client of one PostgreSQL database. After a lost connection, a single statement is repeated, so it must be safe to
 * run twice. Statements that change data run in `transaction`, unless they detect their own repetition.
 */
export class PostgresClient implements Statements, AsyncDisposable {
  readonly #options: PoolOptions
  readonly #pool: ConnectionPool
  readonly #commits = new Commits(this)
  /**
   * Called with the cause when no statement has succeeded for a while, and with undefined when a statement succeeds
   * again. It must not throw.
   */
  onAvailability: ((failure: PostgresFailure | undefined) => void) | undefined
  /** The time of the first failure since the last success, by `performance.now()`. */
  #failingSince: number | undefined
  #isUnavailable = false
  #endsAt = Infinity
  /** The connection of a client whose reads all see the same state. */
  #snapshot: PooledConnection | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#pool = new ConnectionPool(options)
  }

  /** The hosts of the database. */
  get hosts(): Hosts {
    return this.#pool.hosts
  }

  async rows<Row>(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#withRetries(true, (connection) => connection.query<Row>(text, values))
  }

  async row<Row>(text: string, values: readonly Value[] = []): Promise<Row | null> {
    return (await this.rows<Row>(text, values))[0] ?? null
  }

  async run(text: string, values: readonly Value[] = []): Promise<number> {
    const { count } = await this.#withRetries(true, (connection) => connection.query(text, values))
    return count
  }

  /**
   * Performs a writing step atomically and commits it only once. The client repeats the step if it was certainly not
   * committed, so the step must have no effects outside of the transaction. If the connection is lost during the
   * COMMIT, the client asks the server for the outcome.
   * @throws PostgresFailure `unclear` if the database becomes unavailable, or a standby takes over, before the outcome
   * is known.
   */
  async transaction<T>(step: (transaction: Transaction) => Promise<T>): Promise<T> {
    const deadline = performance.now() + 2 * RETRIES.maxWaitMs
    for (;;) {
      const timeline = await this.#commits.timeline()
      let uncommitted: Uncommitted<T> | undefined
      try {
        return await this.#withRetries(false, (connection) =>
          inTransaction(connection, BEGIN_WRITE, async (transaction, id) => {
            uncommitted = undefined
            const result = await step(transaction)
            uncommitted = { result, id }
            return result
          }),
        )
      } catch (error) {
        if (!(error instanceof PostgresFailure) || error.outcome !== "unclear") throw error
        // The COMMIT was not sent.
        if (!uncommitted) throw error.notDone()
        if (await this.#isCommitted(uncommitted.id, timeline, error)) return uncommitted.result
        if (performance.now() > deadline) throw error.notDone()
      }
    }
  }

  /**
   * Whether a transaction was committed.
   * @throws PostgresFailure the original failure if the outcome cannot be determined.
   */
  async #isCommitted(id: string, timeline: string | null, failure: PostgresFailure) {
    try {
      const isCommitted = await this.#commits.isCommitted(id, timeline)
      if (isCommitted !== undefined) return isCommitted
    } catch (error) {
      if (!(error instanceof PostgresFailure)) throw error
    }
    throw failure
  }

  /**
   * Performs a step in a transaction without a time limit, on a separate connection, and never repeats it.
   * @param isolation by default, the whole step sees the same state.
   * @throws PostgresFailure. Nothing was changed, unless the connection was lost during the COMMIT.
   */
  async longTransaction<T>(
    step: (transaction: Transaction) => Promise<T>,
    isolation: "REPEATABLE READ" | "READ COMMITTED" = "REPEATABLE READ",
  ): Promise<T> {
    await using pool = new ConnectionPool({ ...this.#options, max: 1 })
    return await pool.use(NO_TIMEOUT_MS, async (connection) => {
      await connection.script(`BEGIN ISOLATION LEVEL ${isolation}; ${NO_TIMEOUTS}`)
      const result = await step(statementsOn(connection))
      await connection.script("COMMIT")
      return result
    })
  }

  /**
   * Performs reads that all see the same state, without a time limit, on a separate read-only client.
   * @throws PostgresFailure.
   */
  async inSnapshot<T>(step: (client: PostgresClient) => Promise<T>): Promise<T> {
    await using client = new PostgresClient({ ...this.#options, max: 1 })
    return await client.#pool.use(NO_TIMEOUT_MS, async (connection) => {
      await connection.script(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${NO_TIMEOUTS}`)
      // The first read determines the state that all reads see.
      await connection.query("SELECT 1 FROM accounts LIMIT 1", [])
      client.#snapshot = connection
      const result = await step(client)
      await connection.script("COMMIT")
      return result
    })
  }

  /** Performs several reads that see the same state. */
  consistently<T>(step: (transaction: Transaction) => Promise<T>): Promise<T> {
    if (this.#snapshot) return step(statementsOn(this.#snapshot))
    return this.#withRetries(true, (connection) => inTransaction(connection, BEGIN_READ, step))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }

  #succeeded(): void {
    this.#failingSince = undefined
    if (!this.#isUnavailable) return
    this.#isUnavailable = false
    this.onAvailability?.(undefined)
  }

  #connectionLost(failure: PostgresFailure): void {
    const now = performance.now()
    this.#failingSince ??= now
    // A single broken connection is replaced immediately and not reported.
    if (this.#isUnavailable || now - this.#failingSince < UNAVAILABLE_AFTER_MS) return
    this.#isUnavailable = true
    this.onAvailability?.(failure)
  }

  /**
   * Tests the connection.
   * @throws LedgerError `unavailable` if a pooler mixes up prepared statements.
   */
  probe(place: string): Promise<void> {
    return probePooler(this.#pool, place)
  }

  /** Sets the moment, by `performance.now()`, after which new steps do not wait for an unavailable database. */
  endBy(moment: number): void {
    this.#endsAt = moment
  }

  /**
   * Performs a step with retries.
   * @param mayRunTwice whether the step may be repeated if its outcome is unclear.
   */
  async #withRetries<T>(
    mayRunTwice: boolean,
    step: (connection: PooledConnection) => Promise<T>,
  ): Promise<T> {
    if (this.#snapshot) return step(this.#snapshot)
    const now = performance.now()
    const untilEnd = Math.max(RETRIES.minAttemptMs, this.#endsAt - now)
    const deadline = now + Math.min(RETRIES.maxWaitMs, untilEnd)
    let repeats = 0
    /** The last failure with a known cause. It is reported if the next attempt only times out. */
    let reason: PostgresFailure | undefined
    for (let pauseMs = RETRIES.firstPauseMs; ; pauseMs = nextPauseMs(RETRIES, pauseMs)) {
      try {
        const result = await this.#pool.use(deadline - performance.now(), step)
        this.#succeeded()
        return result
      } catch (error) {
        if (!(error instanceof PostgresFailure)) throw error
        if (error.isConnectionLost) this.#connectionLost(error)
        const isUnclear = error.outcome === "unclear" && mayRunTwice && repeats < RETRIES.maxRepeats
        if (error.outcome !== "not_done" && !isUnclear) throw error
        const isLate = error.outcome === "not_done" && isDeadline(error)
        if (performance.now() + pauseMs > deadline) throw isLate ? (reason ?? error) : error
        if (!isLate) reason = error
        if (isUnclear) repeats++
        await Bun.sleep(pauseMs * Math.random())
      }
    }
  }
}

async function inTransaction<T>(
  connection: PooledConnection,
  begin: string,
  step: (transaction: Transaction, id: string) => Promise<T>,
): Promise<T> {
  let result: T
  try {
    const responses = await connection.query<readonly { readonly id?: string }[]>(begin, [])
    result = await step(statementsOn(connection), responses.at(-1)?.at(-1)?.id ?? "")
  } catch (error) {
    throw await rollBack(connection, error)
  }
  const { command } = await connection.query("COMMIT", [])
  if (command !== "COMMIT") throw rolledBack()
  return result
}

/** Rolls back and returns the error to throw. Nothing was committed, even if the connection broke. */
async function rollBack(connection: PooledConnection, error: unknown): Promise<unknown> {
  if (error instanceof PostgresFailure && error.isConnectionLost) return error.notDone()
  try {
    await connection.query("ROLLBACK", [])
  } catch (failure) {
    // The server rolls back transactions of clients that disconnect.
    if (!(failure instanceof PostgresFailure)) throw failure
    return error instanceof PostgresFailure ? error : failure.notDone()
  }
  return error
}

function statementsOn(connection: PooledConnection): Transaction {
  return {
    rows: <Row>(text: string, values: readonly Value[] = []) => connection.query<Row>(text, values),
    async row<Row>(text: string, values: readonly Value[] = []) {
      return (await connection.query<Row>(text, values))[0] ?? null
    },
    async run(text, values = []) {
      return (await connection.query(text, values)).count
    },
    script: (text) => connection.script(text),
  }
}
