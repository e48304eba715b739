import type { Method } from "../methods.ts"
import { Renderer, type SqlValue } from "../steps/sql.ts"
import type { Outcome, Statement, Step, StepGroups, StepMethod } from "../steps/step.ts"
import { texts } from "./arrays.ts"
import type { PostgresClient, Statements } from "./client.ts"
import type { Value } from "./connection-pool.ts"
import { PostgresFailure } from "./failure.ts"

const RENDERER = new Renderer("postgresql", (text) => text)

const NOTHING: Outcome = { rows: [], count: 0 }

/** Runs a step with single statements, or in a transaction. */
export async function runStep<Result>(statements: Statements, step: Step<Result>): Promise<Result> {
  let next = step.next(NOTHING)
  while (!next.done) next = step.next(await perform(statements, next.value))
  return next.value
}

async function perform(
  statements: Statements,
  { kind, sql, rejections, only }: Statement,
): Promise<Outcome> {
  if (only === "sqlite") return NOTHING
  const { prepared: text, values } = RENDERER.render(sql)
  const bound = values.map(bindingOf)
  if (kind === "rows") return { rows: await statements.rows(text, bound), count: 0 }
  try {
    return { rows: [], count: await statements.run(text, bound) }
  } catch (error) {
    const constraint = error instanceof PostgresFailure ? error.constraint : undefined
    throw rejections?.[constraint ?? ""]?.() ?? error
  }
}

/** Creates the methods of aggregates from their steps. */
export function clientMethods<Groups>(groups: StepGroups<Groups>, client: PostgresClient): Groups {
  const made = Object.entries<Readonly<Record<string, StepMethod<readonly unknown[], unknown>>>>(
    groups,
  ).map(([group, methods]) => {
    const entries = Object.entries(methods).map(
      ([name, method]) => [name, clientMethod(method, client)] as const,
    )
    return [group, Object.fromEntries(entries)] as const
  })
  return Object.fromEntries(made) as Groups
}

function clientMethod(
  { access, step }: StepMethod<readonly unknown[], unknown>,
  client: PostgresClient,
): Method {
  switch (access) {
    case "statements":
      return (...parameters) => runStep(client, step(...parameters))
    case "snapshot":
      return (...parameters) =>
        client.consistently((statements) => runStep(statements, step(...parameters)))
    case "transaction":
      return (...parameters) =>
        client.transaction((transaction) => runStep(transaction, step(...parameters)))
    case "long":
      return (...parameters) =>
        client.longTransaction(
          (transaction) => runStep(transaction, step(...parameters)),
          "READ COMMITTED",
        )
  }
}

function bindingOf(value: SqlValue): Value {
  if (typeof value === "number") return BigInt(value)
  if (value instanceof Uint8Array) return value
  return typeof value === "object" && value !== null ? texts(value) : value
}
