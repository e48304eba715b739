import type { ReservedSQL, SQL } from "bun"
import { deadlinePassed, isDeadline, noPrimary, PostgresFailure } from "./failure.ts"
import { Hosts } from "./hosts.ts"

/** A connection is replaced at this age, so that a server behind a balancer gets its share; milliseconds. */
const LIFETIME = 30 * 60_000

const IS_WRITABLE = `SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS is_writable`

export interface PoolOptions {
  /** Of one host, or of several of which one is the primary. */
  readonly url: string
  /** Connections at once. */
  readonly max: number
  /** How long a connection may take to open, milliseconds. */
  readonly connectTime: number
  /** Absent: yes. A pooler in transaction mode may not know of them. */
  readonly preparedStatements?: boolean | undefined
}

/** What may be given to a statement. Arrays are made by `arrays.ts`. */
export type Value = string | bigint | boolean | null | Uint8Array | ReturnType<SQL["array"]>

/** The rows, how many were found or changed, and what was done: `COMMIT`. */
type Answer<Row> = readonly Row[] & { readonly count: number; readonly command: string }

/** A connection that one step has to itself. */
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
 * Connections to one database. Each is reserved from Bun's client for as long as it lasts: to reserve one for each
 * statement costs four times as much as the statement, and only a reserved one can be given up when the server is silent.
 */
export class ConnectionPool implements AsyncDisposable {
  readonly hosts: Hosts
  /** One for each host that was tried. */
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
   * Gives a step a connection of its own.
   * @param patience how long all of it may take, waiting for a connection included; milliseconds.
   * @throws PostgresFailure when it takes longer; the connection is closed then, whatever the server still does.
   */
  async use<T>(patience: number, step: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(deadlinePassed(patience)), patience)
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
      // It was given one at the same moment.
      else void promise.then((open) => (open ? this.#putBack(open, true) : this.#leave()))
      throw error
    }
    return given ?? this.#open(late)
  }

  /** Opens one that has been counted already. */
  async #open(late: Promise<never>): Promise<Open> {
    const opening = this.#connect()
    try {
      const connection = await Promise.race([opening, late])
      return { connection, openedAt: performance.now() }
    } catch (error) {
      // What opens too late is not needed any more.
      opening.then(closed, () => undefined)
      this.#leave()
      throw error instanceof PostgresFailure ? error : new PostgresFailure(error)
    }
  }

  /** A connection to the primary; of a single host, to that. */
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
    // Loaded with its first use: who has a file in its place does without.
    const client = new Bun.SQL(this.hosts.addresses[index] ?? "", {
      bigint: true,
      max,
      // A host that is silent leaves the others their part of the time.
      connectionTimeout: Math.ceil(connectTime / 1_000 / count),
      idleTimeout: 0,
      prepare: preparedStatements,
    })
    this.#clients.set(index, client)
    return client
  }

  #putBack(open: Open, isUsable: boolean): void {
    if (!isUsable) {
      // What ended one has probably ended the others, which show it when they are used next.
      for (const idle of this.#idle.splice(0)) this.#drop(idle)
    }
    if (!isUsable || performance.now() - open.openedAt > LIFETIME) {
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

  /** There is one connection less: the next in line opens another. It is counted at once, so that no one else does too. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next(undefined)
    else this.#count--
  }
}

/** Whether a server takes changes: it is no standby, and is not set to be read only. */
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

/** Closes a connection at once, whatever runs on it. */
async function closed(connection: ReservedSQL): Promise<void> {
  try {
    await connection.close({ timeout: 0 })
  } catch {
    // It was gone already.
  }
}
