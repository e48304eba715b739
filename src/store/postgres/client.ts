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
 * If several connections are lost together, each repeat may detect one of them. The actual pauses are random, up to
 * these.
 */
const RETRIES = STATEMENT_RETRIES

/** Where statements are run: each on its own, or in a transaction. */
export interface Statements {
  rows<Row>(text: string, values?: readonly Value[]): Promise<readonly Row[]>
  /** The first row, or null. */
  row<Row>(text: string, values?: readonly Value[]): Promise<Row | null>
  /** @returns how many rows it has changed. */
  run(text: string, values?: readonly Value[]): Promise<number>
}

/** Statements of one transaction. */
export interface Transaction extends Statements {
  /** Runs several statements, separated by semicolons. */
  script(text: string): Promise<void>
}

/** Failures for so long, without a success between them, mean that the database is away; milliseconds. */
const AWAY_AFTER = 250

/** What a client that is gone has locked is free again when it has not been heard of for so long. */
const SILENCE = "SET LOCAL idle_in_transaction_session_timeout = 5000"

/** Weeks: what is long ends when it has ended. Milliseconds. */
const LONGEST = 2 ** 31 - 1
/** Without the time limits of the server, which are for what serves. */
const UNHURRIED =
  "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '10s'"

/** How a step is begun. */
const WRITING = `BEGIN; ${SILENCE}; ${NAME_TRANSACTION}`
const READING = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${SILENCE}`

/** A step of which all is done but its end. */
interface Made<T> {
  readonly result: T
  /** Of its transaction. */
  readonly id: string
}

/**
 * One PostgreSQL database. A statement on its own is repeated when the connection was lost, so it has to be one that may
 * run twice: those that change something run in `transaction`, unless they recognize themselves.
 */
export class PostgresClient implements Statements, AsyncDisposable {
  readonly #options: PoolOptions
  readonly #pool: ConnectionPool
  readonly #commits = new Commits(this)
  /**
   * Called with why the database cannot be used once no step has succeeded for a while, and with undefined when one does
   * again. It must not throw.
   */
  onAvailability: ((failure: PostgresFailure | undefined) => void) | undefined
  /** When the first step failed of those since the last success; by `performance.now()`. */
  #failingSince: number | undefined
  #isAway = false
  #endsAt = Infinity
  /** Set where all that is read is of one moment. */
  #moment: PooledConnection | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#pool = new ConnectionPool(options)
  }

  /** The hosts of the database. */
  get hosts(): Hosts {
    return this.#pool.hosts
  }

  async rows<Row>(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#repeated(true, (connection) => connection.query<Row>(text, values))
  }

  async row<Row>(text: string, values: readonly Value[] = []): Promise<Row | null> {
    return (await this.rows<Row>(text, values))[0] ?? null
  }

  async run(text: string, values: readonly Value[] = []): Promise<number> {
    const { count } = await this.#repeated(true, (connection) => connection.query(text, values))
    return count
  }

  /**
   * A step that writes: all of it or nothing, and once. It is repeated as long as it has changed nothing for sure, so it
   * must have no other effects. Where the connection is lost at its end, the server is asked.
   * @throws PostgresFailure `unclear` when the database is gone, or a standby has taken over, before it has told.
   */
  async transaction<T>(step: (transaction: Transaction) => Promise<T>): Promise<T> {
    const deadline = performance.now() + 2 * RETRIES.maxWaitMs
    for (;;) {
      const timeline = await this.#commits.timeline()
      let made: Made<T> | undefined
      try {
        return await this.#repeated(false, (connection) =>
          inTransaction(connection, WRITING, async (transaction, id) => {
            made = undefined
            const result = await step(transaction)
            made = { result, id }
            return result
          }),
        )
      } catch (error) {
        if (!(error instanceof PostgresFailure) || error.outcome !== "unclear") throw error
        // Its end was not sent.
        if (!made) throw error.notDone()
        if (await this.#isCommitted(made.id, timeline, error)) return made.result
        if (performance.now() > deadline) throw error.notDone()
      }
    }
  }

  /** @throws PostgresFailure as it was, when the server cannot tell. */
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
   * A transaction that takes as long as it takes, on a connection of its own. It is not repeated.
   * @param isolation by default, all of it sees one state.
   * @throws PostgresFailure: then nothing was changed, unless the connection was lost at its end.
   */
  async atLength<T>(
    step: (transaction: Transaction) => Promise<T>,
    isolation: "REPEATABLE READ" | "READ COMMITTED" = "REPEATABLE READ",
  ): Promise<T> {
    await using pool = new ConnectionPool({ ...this.#options, max: 1 })
    return await pool.use(LONGEST, async (connection) => {
      await connection.script(`BEGIN ISOLATION LEVEL ${isolation}; ${UNHURRIED}`)
      const result = await step(statementsOn(connection))
      await connection.script("COMMIT")
      return result
    })
  }

  /**
   * Reads of one moment, for as long as they take, through a client of their own that changes nothing.
   * @throws PostgresFailure.
   */
  async atOneMoment<T>(step: (client: PostgresClient) => Promise<T>): Promise<T> {
    await using client = new PostgresClient({ ...this.#options, max: 1 })
    return await client.#pool.use(LONGEST, async (connection) => {
      await connection.script(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${UNHURRIED}`)
      // The moment is that of its first read.
      await connection.query("SELECT 1 FROM accounts LIMIT 1", [])
      client.#moment = connection
      const result = await step(client)
      await connection.script("COMMIT")
      return result
    })
  }

  /** Several reads that see the same state. */
  consistently<T>(step: (transaction: Transaction) => Promise<T>): Promise<T> {
    if (this.#moment) return step(statementsOn(this.#moment))
    return this.#repeated(true, (connection) => inTransaction(connection, READING, step))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }

  #succeeded(): void {
    this.#failingSince = undefined
    if (!this.#isAway) return
    this.#isAway = false
    this.onAvailability?.(undefined)
  }

  #lost(failure: PostgresFailure): void {
    const now = performance.now()
    this.#failingSince ??= now
    // One that was cut off is replaced at once, and no one else need know.
    if (this.#isAway || now - this.#failingSince < AWAY_AFTER) return
    this.#isAway = true
    this.onAvailability?.(failure)
  }

  /** @throws LedgerError `unavailable` where a pooler mixes up prepared statements. */
  probe(place: string): Promise<void> {
    return probePooler(this.#pool, place)
  }

  /** From a moment on, by `performance.now()`, a step that begins does not wait for a database that is away. */
  endBy(moment: number): void {
    this.#endsAt = moment
  }

  /** @param mayRunTwice whether it may be repeated where it is not clear whether it was done. */
  async #repeated<T>(
    mayRunTwice: boolean,
    step: (connection: PooledConnection) => Promise<T>,
  ): Promise<T> {
    if (this.#moment) return step(this.#moment)
    const now = performance.now()
    const untilEnd = Math.max(RETRIES.minAttemptMs, this.#endsAt - now)
    const deadline = now + Math.min(RETRIES.maxWaitMs, untilEnd)
    let repeats = 0
    /** The last failure with a known cause, which is reported if the next attempt only times out. */
    let reason: PostgresFailure | undefined
    for (let pauseMs = RETRIES.firstPauseMs; ; pauseMs = nextPauseMs(RETRIES, pauseMs)) {
      try {
        const result = await this.#pool.use(deadline - performance.now(), step)
        this.#succeeded()
        return result
      } catch (error) {
        if (!(error instanceof PostgresFailure)) throw error
        if (error.isConnectionLost) this.#lost(error)
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
    const answers = await connection.query<readonly { readonly id?: string }[]>(begin, [])
    result = await step(statementsOn(connection), answers.at(-1)?.at(-1)?.id ?? "")
  } catch (error) {
    throw await undone(connection, error)
  }
  const { command } = await connection.query("COMMIT", [])
  if (command !== "COMMIT") throw rolledBack()
  return result
}

/** Nothing was committed: what broke the connection has not changed anything either. */
async function undone(connection: PooledConnection, error: unknown): Promise<unknown> {
  if (error instanceof PostgresFailure && error.isConnectionLost) return error.notDone()
  try {
    await connection.query("ROLLBACK", [])
  } catch (failure) {
    // The server rolls back what its client has left.
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
