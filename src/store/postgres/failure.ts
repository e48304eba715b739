/**
 * The outcome of a failed step.
 *
 * `not_done`: nothing was changed, and the step may be repeated. `unclear`: the connection was lost when the step may
 * have been committed. It may only be repeated if it detects its own repetition. `rejected`: the step would fail every
 * time.
 */
export type Outcome = "not_done" | "unclear" | "rejected"

/**
 * SQLSTATE codes of idle transactions, lock timeouts, conflicts between transactions, too many connections, and servers
 * that are starting or are standbys.
 */
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
 * A failure that PostgreSQL or the connection to it reports.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export class PostgresFailure extends Error {
  override readonly name = "PostgresFailure"
  /** The SQLSTATE, or the code of Bun's client if the server did not respond. */
  readonly code: string
  readonly outcome: Outcome
  /** The name of the violated constraint. */
  readonly constraint: string | undefined

  /**
   * @param error the error of Bun's client.
   * @param outcome the outcome, if it differs from the outcome that the error's code implies.
   */
  constructor(error: unknown, outcome?: Outcome) {
    super(error instanceof Error ? error.message : String(error), { cause: error })
    this.code = textOf(error, "errno") ?? textOf(error, "code") ?? "unknown"
    this.constraint = textOf(error, "constraint")
    this.outcome = outcome ?? outcomeOf(this.code)
  }

  /** Returns the same failure for a transaction whose COMMIT was not sent. */
  notDone(): PostgresFailure {
    return new PostgresFailure(this.cause, "not_done")
  }

  /**
   * Whether the database rejects the values because they are out of range, too large, not in its encoding, or against a
   * constraint.
   */
  get isOfInput(): boolean {
    return ["22", "23", "54"].some((group) => this.code.startsWith(group))
  }

  /** Whether the server rejects changes because it has become a standby. Another server may be the primary. */
  get isOfStandby(): boolean {
    return this.code === READ_ONLY
  }

  /** Whether the connection can no longer be used. */
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

/** The error code of a statement that timed out. */
export const DEADLINE = "ERR_POSTGRES_CONNECTION_DEADLINE"

/** The error code for a database that has only standbys. */
const NO_PRIMARY = "ERR_POSTGRES_CONNECTION_NO_PRIMARY"

/** The SQLSTATE of a change that was sent to a read-only server. */
const READ_ONLY = "25006"

/** Returns the failure of a database without a host that accepts changes. */
export function noPrimary(cause: unknown): PostgresFailure {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new PostgresFailure(Object.assign(new Error(message), { code: NO_PRIMARY }), "not_done")
}

/** Returns the failure of a statement that exceeded the timeout of the client. */
export function deadlinePassed(timeoutMs: number): PostgresFailure {
  const message = `the database did not answer within ${Math.round(timeoutMs)} ms`
  return new PostgresFailure(Object.assign(new Error(message), { code: DEADLINE }))
}

/** Whether an error is a timeout of the client, so that the cause is unknown. */
export function isDeadline(error: unknown): error is PostgresFailure {
  return error instanceof PostgresFailure && error.code === DEADLINE
}

/**
 * Returns the failure of a step that continued after a failed statement. The server has rolled back its transaction at
 * the COMMIT.
 */
export function rolledBack(): PostgresFailure {
  return new PostgresFailure(new Error("the database rolled back the transaction"), "rejected")
}

function outcomeOf(code: string): Outcome {
  if (NOT_DONE.has(code) || code === READ_ONLY) return "not_done"
  // Errors of broken connections, of servers that shut down, and of Bun's client have an unclear outcome.
  const isUnclear =
    code === "40003" || code.startsWith("08") || code.startsWith("57") || code.startsWith("ERR_")
  return isUnclear ? "unclear" : "rejected"
}

function textOf(error: unknown, name: string): string | undefined {
  const value: unknown = Reflect.get(Object(error), name)
  return typeof value === "string" && value !== "" ? value : undefined
}
