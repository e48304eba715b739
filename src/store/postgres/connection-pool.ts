import type { ReservedSQL, SQL } from "bun"
import { deadlinePassed, isDeadline, noPrimary, PostgresFailure } from "./failure.ts"
import { Hosts } from "./hosts.ts"

/** Maximum age of a connection. Connections are replaced, so that all servers behind a load balancer are used. */
const MAX_AGE_MS = 30 * 60_000

const IS_WRITABLE = `SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS is_writable`

/**
 * Switches off compilation of queries. The server compiles by estimated costs, which grow with the number of
 * partitions, and compiling can take a minute for a query that runs for less than a second.
 */
const NO_COMPILATION = "SET jit = off"

export interface PoolOptions {
  /** The address of one host, or of several hosts with one primary. */
  readonly url: string
  /** Maximum open connections. */
  readonly max: number
  /** Timeout for opening a connection, in milliseconds. */
  readonly connectTime: number
  /** Whether statements are prepared; true if absent. A pooler in transaction mode may not support this. */
  readonly preparedStatements?: boolean | undefined
}

/** A parameter of a statement. For arrays, use the functions in `arrays.ts`. */
export type Value = string | bigint | boolean | null | Uint8Array | ReturnType<SQL["array"]>

/** The rows of a result, the number of rows found or changed, and the command, such as `COMMIT`. */
type QueryResult<Row> = readonly Row[] & { readonly count: number; readonly command: string }

/** A connection that is reserved for one step. */
export interface PooledConnection {
  /** Runs one statement. @throws PostgresFailure. */
  query<Row>(text: string, values: readonly Value[]): Promise<QueryResult<Row>>
  /** Runs several statements without values. @throws PostgresFailure. */
  script(text: string): Promise<void>
}

interface Open {
  readonly connection: ReservedSQL
  readonly openedAt: number
}

/**
 * A pool of connections to one database. Each connection is reserved from Bun's client for its whole lifetime, because
 * reserving one per statement would cost four times as much as the statement. Only a reserved connection can be closed
 * if the server does not respond.
 */
export class ConnectionPool implements AsyncDisposable {
  readonly hosts: Hosts
  /** One client for each host that was tried so far. */
  readonly #clients = new Map<number, SQL>()
  readonly #options: PoolOptions
  readonly #max: number
  readonly #idle: Open[] = []
  readonly #waiting: ((open: Open | undefined) => void)[] = []
  #count = 0

  constructor(options: PoolOptions) {
    this.#options = options
    this.#max = options.max
    this.hosts = new Hosts(options.url)
  }

  /**
   * Performs a step on a connection that no other step uses.
   * @param timeoutMs includes the wait for a connection.
   * @throws PostgresFailure on timeout. The connection is then closed, even if the server is still working.
   */
  async use<T>(timeoutMs: number, step: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(deadlinePassed(timeoutMs)), timeoutMs)
    late.catch(() => undefined)
    let open: Open | undefined
    let isUsable = false
    try {
      open = await this.#take(late)
      const result = await Promise.race([step(connectionOf(open.connection)), late])
      isUsable = true
      return result
    } catch (error) {
      isUsable = !(
        error instanceof PostgresFailure &&
        (error.isConnectionLost || error.isOfStandby)
      )
      // If no connection was open, nothing was sent.
      if (open === undefined && isDeadline(error)) throw error.notDone()
      throw error
    } finally {
      clearTimeout(timer)
      if (open) this.#putBack(open, isUsable)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { connection } of this.#idle.splice(0)) await closed(connection)
    for (const client of this.#clients.values()) await client.close({ timeout: 0 })
  }

  async #take(late: Promise<never>): Promise<Open> {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#count < this.#max) {
      this.#count++
      return this.#open(late)
    }
    const { promise, resolve } = Promise.withResolvers<Open | undefined>()
    this.#waiting.push(resolve)
    let given: Open | undefined
    try {
      given = await Promise.race([promise, late])
    } catch (error) {
      const index = this.#waiting.indexOf(resolve)
      if (index >= 0) this.#waiting.splice(index, 1)
      // A connection was assigned at the moment of the timeout.
      else void promise.then((open) => (open ? this.#putBack(open, true) : this.#leave()))
      throw error
    }
    return given ?? this.#open(late)
  }

  /** Opens a connection, which has already been counted. */
  async #open(late: Promise<never>): Promise<Open> {
    const opening = this.#connect()
    try {
      const connection = await Promise.race([opening, late])
      return { connection, openedAt: performance.now() }
    } catch (error) {
      // If a connection opens too late, it is closed.
      opening.then(closed, () => undefined)
      this.#leave()
      throw error instanceof PostgresFailure ? error : new PostgresFailure(error)
    }
  }

  /** Opens a connection to the primary, or to the only host. */
  async #connect(): Promise<ReservedSQL> {
    const { inOrder } = this.hosts
    if (inOrder.length === 1) return this.#reserve(0)
    let failure: unknown = new Error("all hosts of the database are standbys")
    for (const index of inOrder) {
      try {
        const connection = await this.#reserve(index)
        if (await isWritable(connection)) {
          this.hosts.found(index)
          return connection
        }
        await closed(connection)
      } catch (error) {
        failure = error
      }
    }
    throw failure instanceof Error && "code" in failure ? failure : noPrimary(failure)
  }

  async #reserve(index: number): Promise<ReservedSQL> {
    const connection = await this.#clientOf(index).reserve()
    try {
      await connection.unsafe(NO_COMPILATION)
      return connection
    } catch (error) {
      await closed(connection)
      throw error
    }
  }

  #clientOf(index: number): SQL {
    const known = this.#clients.get(index)
    if (known) return known
    const { max, connectTime, preparedStatements = true } = this.#options
    const count = this.hosts.addresses.length
    // Loaded on first use, because SQLite installations never need it.
    const client = new Bun.SQL(this.hosts.addresses[index] ?? "", {
      bigint: true,
      max,
      // Each host gets an equal part of the time. If a host does not respond, time remains for the others.
      connectionTimeout: Math.ceil(connectTime / 1_000 / count),
      idleTimeout: 0,
      prepare: preparedStatements,
    })
    this.#clients.set(index, client)
    return client
  }

  #putBack(open: Open, isUsable: boolean): void {
    if (!isUsable) {
      // Idle connections are closed, because the same cause has probably broken them.
      for (const idle of this.#idle.splice(0)) this.#drop(idle)
    }
    if (!isUsable || performance.now() - open.openedAt > MAX_AGE_MS) {
      this.#drop(open)
      return
    }
    const next = this.#waiting.shift()
    if (next) next(open)
    else this.#idle.push(open)
  }

  #drop({ connection }: Open): void {
    void closed(connection)
    this.#leave()
  }

  /**
   * Removes a connection. The next waiting step opens a new one, which is counted immediately so that no other step
   * opens one in its place.
   */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next(undefined)
    else this.#count--
  }
}

/** Whether a server accepts changes, because it is neither a standby nor read-only. */
async function isWritable(connection: ReservedSQL): Promise<boolean> {
  try {
    const [row] = await connection.unsafe<{ is_writable: boolean }[]>(IS_WRITABLE)
    return row?.is_writable === true
  } catch (error) {
    await closed(connection)
    throw error
  }
}

function connectionOf(connection: ReservedSQL): PooledConnection {
  return {
    async query(text, values) {
      try {
        return await connection.unsafe(text, [...values])
      } catch (error) {
        throw new PostgresFailure(error)
      }
    },
    async script(text) {
      try {
        await connection.unsafe(text).simple()
      } catch (error) {
        throw new PostgresFailure(error)
      }
    },
  }
}

/** Closes a connection immediately, even if a statement is running. */
async function closed(connection: ReservedSQL): Promise<void> {
  try {
    await connection.close({ timeout: 0 })
  } catch {
    // The connection was already closed.
  }
}
