import type { ReservedSQL, SQL } from "bun"
import { deadlinePassed, isDeadline, noPrimary, PostgresFailure } from "./failure.ts"
import { Hosts } from "./hosts.ts"

/** Maximum age of a connection, so that all servers behind a load balancer get connections. */
const MAX_AGE_MS = 30 * 60_000

const IS_WRITABLE = `SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS is_writable`

export interface PoolOptions {
  /** The address of one host, or of several with one primary. */
  readonly url: string
  /** Maximum open connections. */
  readonly max: number
  /** Timeout for opening a connection, in milliseconds. */
  readonly connectTime: number
  /** True by default. A pooler in transaction mode may not support them. */
  readonly preparedStatements?: boolean | undefined
}

/** A parameter of a statement. Arrays are created by `arrays.ts`. */
export type Value = string | bigint | boolean | null | Uint8Array | ReturnType<SQL["array"]>

/** The rows, the number of rows found or changed, and the command, such as `COMMIT`. */
type Answer<Row> = readonly Row[] & { readonly count: number; readonly command: string }

/** A connection that is reserved for one step. */
export interface PooledConnection {
  /** Runs one statement. @throws PostgresFailure. */
  query<Row>(text: string, values: readonly Value[]): Promise<Answer<Row>>
  /** Runs several statements without values. @throws PostgresFailure. */
  script(text: string): Promise<void>
}

interface Open {
  readonly connection: ReservedSQL
  readonly openedAt: number
}

/**
 * A pool of connections to one database. Each is reserved from Bun's client for its whole lifetime. Reserving one per
 * statement would cost four times as much as the statement. Only a reserved connection can be closed when the server
 * does not answer.
 */
export class ConnectionPool implements AsyncDisposable {
  readonly hosts: Hosts
  /** One client for each host tried so far. */
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
   * Performs a step on a connection of its own.
   * @param timeoutMs includes the wait for a connection.
   * @throws PostgresFailure on timeout; the connection is closed even if the server is still working.
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
      // Without a connection, nothing was sent.
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
      // A connection was assigned at the same moment.
      else void promise.then((open) => (open ? this.#putBack(open, true) : this.#leave()))
      throw error
    }
    return given ?? this.#open(late)
  }

  /** Opens a connection that is already counted. */
  async #open(late: Promise<never>): Promise<Open> {
    const opening = this.#connect()
    try {
      const connection = await Promise.race([opening, late])
      return { connection, openedAt: performance.now() }
    } catch (error) {
      // A connection that opens too late is closed.
      opening.then(closed, () => undefined)
      this.#leave()
      throw error instanceof PostgresFailure ? error : new PostgresFailure(error)
    }
  }

  /** Opens a connection to the primary, or to the only host. */
  async #connect(): Promise<ReservedSQL> {
    const { inOrder } = this.hosts
    if (inOrder.length === 1) return this.#clientOf(0).reserve()
    let failure: unknown = new Error("all hosts of the database are standbys")
    for (const index of inOrder) {
      try {
        const connection = await this.#clientOf(index).reserve()
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

  #clientOf(index: number): SQL {
    const known = this.#clients.get(index)
    if (known) return known
    const { max, connectTime, preparedStatements = true } = this.#options
    const count = this.hosts.addresses.length
    // Loaded on first use: SQLite installations never need it.
    const client = new Bun.SQL(this.hosts.addresses[index] ?? "", {
      bigint: true,
      max,
      // Each host gets an equal part of the time, so that one that does not answer leaves time for the others.
      connectionTimeout: Math.ceil(connectTime / 1_000 / count),
      idleTimeout: 0,
      prepare: preparedStatements,
    })
    this.#clients.set(index, client)
    return client
  }

  #putBack(open: Open, isUsable: boolean): void {
    if (!isUsable) {
      // The same cause has probably broken the idle connections, which would fail on their next use.
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
   * Removes a connection. The next waiting step opens another, which is counted at once so that no other step opens one
   * too.
   */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next(undefined)
    else this.#count--
  }
}

/** Returns whether a server accepts changes: it is not a standby and not read-only. */
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

/** Closes a connection at once, even if a statement is running. */
async function closed(connection: ReservedSQL): Promise<void> {
  try {
    await connection.close({ timeout: 0 })
  } catch {
    // It was already closed.
  }
}
