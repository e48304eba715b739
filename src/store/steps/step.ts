import type { Engine, Sql } from "./sql.ts"

/** Errors that replace constraint violations, by the constraint's name in PostgreSQL, such as `accounts_name_key`. */
export type Rejections = Readonly<Record<string, () => Error>>

/** A statement that a step asks its engine to run. */
export interface Statement {
  readonly kind: "rows" | "run"
  readonly sql: Sql
  readonly rejections?: Rejections | undefined
  /** The only engine that runs the statement; if absent, both run it. */
  readonly only?: Engine
}

/** The rows that a statement has returned, or the number of rows that it has changed. */
export interface Outcome {
  readonly rows: readonly unknown[]
  readonly count: number
}

/**
 * Work on the database, which is written once for all engines. It yields statements and receives their outcomes. SQLite
 * runs it synchronously (`sqlite/run-steps.ts`), and PostgreSQL asynchronously (`postgres/run-steps.ts`). PostgreSQL
 * may run it again from the beginning, so a step changes nothing outside of the database. It cannot catch the error of
 * a statement, which ends the transaction. Errors that replace constraint violations are passed to `run`.
 */
export type Step<Result> = Generator<Statement, Result, Outcome>

/**
 * Runs a query.
 * @returns the rows. Their type depends on the selected columns. Integers are `bigint` on both engines.
 */
export function* rows<Row>(sql: Sql): Step<readonly Row[]> {
  const outcome = yield { kind: "rows", sql }
  return outcome.rows as readonly Row[]
}

/**
 * Runs a query.
 * @returns the first row, or null.
 */
export function* row<Row>(sql: Sql): Step<Row | null> {
  return (yield* rows<Row>(sql))[0] ?? null
}

/** Whether a query returns a row. */
export function* exists(sql: Sql): Step<boolean> {
  return (yield* row(sql)) !== null
}

/**
 * Runs a statement.
 * @returns the number of rows that the statement has changed.
 */
export function* run(sql: Sql, rejections?: Rejections): Step<number> {
  return (yield { kind: "run", sql, rejections }).count
}

/**
 * Runs a statement only on PostgreSQL, for example to lock rows. SQLite has only one writer at a time, so it needs no
 * locks.
 */
export function* runOnPostgresql(sql: Sql): Step<void> {
  yield { kind: "run", sql, only: "postgresql" }
}

/**
 * The access of a method to the database.
 *
 * `statements`: each statement runs separately. PostgreSQL repeats a statement after a lost connection, so changes must
 * be idempotent. `snapshot`: all reads see the same state. `transaction`: atomic, and performed once. `long`: a
 * transaction without a time limit.
 */
type Access = "statements" | "snapshot" | "transaction" | "long"

/** A method of an aggregate. */
export interface StepMethod<Parameters extends readonly unknown[], Result> {
  readonly access: Access
  readonly step: (...parameters: Parameters) => Step<Result>
}

/** The steps of an aggregate. Each engine creates its methods from them. */
export type StepMethods<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (
    ...parameters: infer Parameters
  ) => Promise<infer Result>
    ? StepMethod<Parameters, Result>
    : never
}

/** The methods of several aggregates. */
export type StepGroups<Groups> = { readonly [Group in keyof Groups]: StepMethods<Groups[Group]> }

/** Returns a function that creates methods with one kind of access. */
function withAccess(access: Access) {
  return <Parameters extends readonly unknown[], Result>(
    step: (...parameters: Parameters) => Step<Result>,
  ): StepMethod<Parameters, Result> => ({ access, step })
}

export const statements = withAccess("statements")
export const snapshot = withAccess("snapshot")
export const transaction = withAccess("transaction")
export const longTransaction = withAccess("long")
