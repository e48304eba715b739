/**
 * What is known of a step that failed.
 *
 * `not_done`: it has changed nothing, and may be repeated. `unclear`: the connection was lost when it may have been
 * committed; only a step that recognizes itself may be repeated. `refused`: it fails again however often it is repeated.
 */
export type Outcome = "not_done" | "unclear" | "refused"

/** A transaction that was silent, waiting for a lock, conflicts between transactions, too many connections, a server that starts or is a standby. */
const NOT_DONE = new Set([
  "0A000",
  "25P03",
  "40001",
  "40P01",
  "53300",
  "55P03",
  "57P03",
  "ERR_POSTGRES_CONNECTION_REFUSED",
  "ERR_POSTGRES_CONNECTION_TIMEOUT",
])

/**
 * What PostgreSQL, or the connection to it, has said against a statement.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export class PostgresFailure extends Error {
  override readonly name = "PostgresFailure"
  /** The SQLSTATE, or Bun's code where the server did not answer. */
  readonly code: string
  readonly outcome: Outcome
  /** The constraint that was violated. */
  readonly constraint: string | undefined

  /** @param error of Bun's client. @param outcome where more is known of it than its code says. */
  constructor(error: unknown, outcome?: Outcome) {
    super(error instanceof Error ? error.message : String(error), { cause: error })
    this.code = textOf(error, "errno") ?? textOf(error, "code") ?? "unknown"
    this.constraint = textOf(error, "constraint")
    this.outcome = outcome ?? outcomeOf(this.code)
  }

  /** The same, of a transaction whose end was not asked for. */
  notDone(): PostgresFailure {
    return new PostgresFailure(this.cause, "not_done")
  }

  /** Whether the database rejects the values: out of range, too large, not in its encoding, against a constraint. */
  get isOfInput(): boolean {
    return ["22", "23", "54"].some((group) => this.code.startsWith(group))
  }

  /** Whether the server takes no changes: it is a standby by now, and another one may be the primary. */
  get isOfStandby(): boolean {
    return this.code === READ_ONLY
  }

  /** Whether the connection cannot be used any more. */
  get isConnectionLost(): boolean {
    return (
      this.code.startsWith("ERR_POSTGRES_CONNECTION") ||
      this.code.startsWith("08") ||
      this.code.startsWith("57P") ||
      this.code === "25P03" ||
      this.code === DEADLINE
    )
  }
}

/** The code of a statement that the server did not answer in time. */
export const DEADLINE = "ERR_POSTGRES_CONNECTION_DEADLINE"

/** The code of a database whose hosts are all standbys. */
const NO_PRIMARY = "ERR_POSTGRES_CONNECTION_NO_PRIMARY"

/** A change was sent to a server that takes none. */
const READ_ONLY = "25006"

/** None of several hosts could be written. */
export function noPrimary(cause: unknown): PostgresFailure {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new PostgresFailure(Object.assign(new Error(message), { code: NO_PRIMARY }), "not_done")
}

/** A statement took longer than the client waits. */
export function deadlinePassed(patience: number): PostgresFailure {
  const message = `the database did not answer within ${Math.round(patience)} ms`
  return new PostgresFailure(Object.assign(new Error(message), { code: DEADLINE }))
}

/** Whether the client stopped waiting, so that the cause is unknown. */
export function isDeadline(error: unknown): error is PostgresFailure {
  return error instanceof PostgresFailure && error.code === DEADLINE
}

/** A step has gone on after one of its statements had failed, so that the server rolled all of it back at its end. */
export function rolledBack(): PostgresFailure {
  return new PostgresFailure(new Error("the database has rolled the transaction back"), "refused")
}

function outcomeOf(code: string): Outcome {
  if (NOT_DONE.has(code) || code === READ_ONLY) return "not_done"
  // Of a connection that broke, of a server that ended, and of Bun's client.
  const isUnclear =
    code === "40003" || code.startsWith("08") || code.startsWith("57") || code.startsWith("ERR_")
  return isUnclear ? "unclear" : "refused"
}

function textOf(error: unknown, name: string): string | undefined {
  const value: unknown = Reflect.get(Object(error), name)
  return typeof value === "string" && value !== "" ? value : undefined
}
