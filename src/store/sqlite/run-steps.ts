import { type Database, SQLiteError, type SQLQueryBindings, type Statement } from "bun:sqlite"
import type { Direct, Method } from "../methods.ts"
import { Renderer, type SqlValue } from "../steps/sql.ts"
import type {
  Outcome,
  Statement as StepStatement,
  Step,
  StepGroups,
  StepMethod,
} from "../steps/step.ts"
import type { Transactions } from "./transactions.ts"

type Prepared = Statement<unknown, SQLQueryBindings[]>

const NOTHING: Outcome = { rows: [], count: 0 }

/** Runs a step. The caller opens a transaction if one is necessary. */
export type RunStep = <Result>(step: Step<Result>) => Result

/**
 * Creates a function that runs steps on a file whose integers are read as `bigint`. Each SQL text is prepared only
 * once.
 */
export function stepRunner(database: Database): RunStep {
  // Statements created by `query` do not keep the file open after `close`, unlike those created by `prepare`.
  const renderer = new Renderer<Prepared>("sqlite", (text) => database.query(text))

  function perform({ kind, sql, rejections, only }: StepStatement): Outcome {
    if (only === "postgresql") return NOTHING
    const { prepared, values } = renderer.render(sql)
    const bound = values.map(bindingOf)
    if (kind === "rows") return { rows: prepared.all(...bound), count: 0 }
    try {
      return { rows: [], count: prepared.run(...bound).changes }
    } catch (error) {
      throw rejections?.[violatedConstraint(error, Object.keys(rejections)) ?? ""]?.() ?? error
    }
  }

  return (step) => {
    let next = step.next(NOTHING)
    while (!next.done) next = step.next(perform(next.value))
    return next.value
  }
}

/** A file on which steps can run. */
export interface OpenFile {
  readonly runStep: RunStep
  readonly transactions: Transactions
}

/**
 * Creates the synchronous methods of aggregates from their steps.
 * @param open returns the file. It is called by each method.
 */
export function directMethods<Groups>(
  groups: StepGroups<Groups>,
  open: () => OpenFile,
): Direct<Groups> {
  const made = Object.entries<Readonly<Record<string, StepMethod<readonly unknown[], unknown>>>>(
    groups,
  ).map(([group, methods]) => {
    const entries = Object.entries(methods).map(
      ([name, method]) => [name, directMethod(method, open)] as const,
    )
    return [group, Object.fromEntries(entries)] as const
  })
  return Object.fromEntries(made) as Direct<Groups>
}

function directMethod(
  { access, step }: StepMethod<readonly unknown[], unknown>,
  open: () => OpenFile,
): Method {
  switch (access) {
    case "statements":
      return (...parameters) => open().runStep(step(...parameters))
    case "snapshot":
      return (...parameters) => {
        const { runStep, transactions } = open()
        return transactions.consistently(() => runStep(step(...parameters)))
      }
    case "transaction":
    case "long":
      return (...parameters) => {
        const { runStep, transactions } = open()
        return transactions.atomically(() => runStep(step(...parameters)))
      }
  }
}

function bindingOf(value: SqlValue): SQLQueryBindings {
  if (typeof value === "number") return BigInt(value)
  if (typeof value === "boolean") return value ? 1n : 0n
  if (value instanceof Uint8Array) return value
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value
}

/**
 * Returns the name that the violated constraint has in PostgreSQL. SQLite does not name foreign keys, so at most one of
 * the candidates can be a foreign key.
 */
function violatedConstraint(error: unknown, candidates: readonly string[]): string | undefined {
  if (!(error instanceof SQLiteError)) return undefined
  if (error.code === "SQLITE_CONSTRAINT_FOREIGNKEY") {
    return candidates.find((name) => name.endsWith("_fkey"))
  }
  const columns = /^UNIQUE constraint failed: (.+)$/.exec(error.message)?.[1]?.split(", ")
  const table = columns?.[0]?.split(".")[0]
  if (!columns || table === undefined) return undefined
  if (error.code === "SQLITE_CONSTRAINT_PRIMARYKEY") return `${table}_pkey`
  return [table, ...columns.map((column) => column.slice(table.length + 1)), "key"].join("_")
}
