import type { Engine, Sql } from "./sql.ts"

/** Errors that replace constraint violations, by the constraint's name on PostgreSQL: `accounts_name_key`. */
export type Refusals = Readonly<Record<string, () => Error>>

/** A statement that a step asks its engine to run. */
export interface Statement {
  readonly kind: "rows" | "run"
  readonly sql: Sql
  readonly refusals?: Refusals | undefined
  /** The engine that runs it; absent: both. */
  readonly only?: Engine
}

/** The rows that a statement found, or the number of rows that it changed. */
export interface Outcome {
  readonly rows: readonly unknown[]
  readonly count: number
}

/**
 * Work on the database, written once for all engines: it yields statements and receives their outcomes.
 * SQLite runs it synchronously (`sqlite/run-steps.ts`), PostgreSQL asynchronously (`postgres/run-steps.ts`), which may
 * run it again from its beginning. A step therefore changes nothing outside the database. It cannot catch the error
 * of a statement, which ends the transaction: `run` takes the errors that replace constraint violations.
 */
export type Step<Result> = Generator<Statement, Result, Outcome>

/** @returns the rows. Their type is that of the selected columns: integers are `bigint` on both engines. */
export function* rows<Row>(sql: Sql): Step<readonly Row[]> {
  const outcome = yield { kind: "rows", sql }
  return outcome.rows as readonly Row[]
}

/** @returns the first row, or null. */
export function* row<Row>(sql: Sql): Step<Row | null> {
  return (yield* rows<Row>(sql))[0] ?? null
}

/** Returns whether the query returns a row. */
export function* exists(sql: Sql): Step<boolean> {
  return (yield* row(sql)) !== null
}

/** @returns the number of rows that the statement changed. */
export function* run(sql: Sql, refusals?: Refusals): Step<number> {
  return (yield { kind: "run", sql, refusals }).count
}

/**
 * Runs a statement only on PostgreSQL, such as one that takes a lock. SQLite has one writer at a time and needs no
 * locks.
 */
export function* runOnPostgresql(sql: Sql): Step<void> {
  yield { kind: "run", sql, only: "postgresql" }
}

/**
 * The access of a method to the database.
 *
 * `statements`: each statement on its own. PostgreSQL repeats one after a lost connection, so a change must be
 * idempotent. `snapshot`: reads that see the same state. `transaction`: atomic, performed once. `long`: a transaction
 * without a time limit.
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

type Steps<Parameters extends readonly unknown[], Result> = StepMethod<Parameters, Result>["step"]

export function statements<Parameters extends readonly unknown[], Result>(
  step: Steps<Parameters, Result>,
): StepMethod<Parameters, Result> {
  return { access: "statements", step }
}

export function snapshot<Parameters extends readonly unknown[], Result>(
  step: Steps<Parameters, Result>,
): StepMethod<Parameters, Result> {
  return { access: "snapshot", step }
}

export function transaction<Parameters extends readonly unknown[], Result>(
  step: Steps<Parameters, Result>,
): StepMethod<Parameters, Result> {
  return { access: "transaction", step }
}

export function longTransaction<Parameters extends readonly unknown[], Result>(
  step: Steps<Parameters, Result>,
): StepMethod<Parameters, Result> {
  return { access: "long", step }
}
