import { AsyncLocalStorage } from "node:async_hooks"
import { Database, type Statement } from "bun:sqlite"
import { PersonLimits } from "../../src/http/admin/person-limits.ts"
import { ConnectionPool, type Value } from "../../src/store/postgres/connection-pool.ts"

/** A row that a request of a person has read from a database on the thread of the gateway. */
export interface ReadRow {
  readonly person: string
  /** The statement. */
  readonly text: string
  /** The values of all columns, as JSON. */
  readonly row: string
}

const people = new AsyncLocalStorage<string>()
const READS = ["all", "get", "values"] as const

/**
 * Records the rows that management requests read on both engines, until it is disposed of. Statements that were
 * prepared earlier are not recorded.
 */
export function recordReadRows(): Disposable & { readonly rows: ReadRow[] } {
  const rows: ReadRow[] = []
  const record: Recorder = (text, found) => {
    const person = people.getStore()
    if (person === undefined) return
    rows.push(...found.map((row) => ({ person, text, row: textOf(row) })))
  }
  const { run } = PersonLimits.prototype
  PersonLimits.prototype.run = function (id, handle, maxRunning) {
    // A search runs within the request of its person.
    const person = people.getStore() ?? id
    return people.run(person, () => run.call(this, id, handle, maxRunning)) as ReturnType<
      typeof handle
    >
  }
  const restored = [recordSqlite(record), recordPostgres(record)]
  return {
    rows,
    [Symbol.dispose]() {
      PersonLimits.prototype.run = run
      for (const restore of restored) restore()
    },
  }
}

type Recorder = (text: string, rows: readonly unknown[]) => void

function recordSqlite(record: Recorder): () => void {
  const { query, prepare } = Database.prototype
  const recorded = new WeakSet<Statement>()
  const patched = (statement: Statement, text: string): Statement => {
    if (recorded.has(statement)) return statement
    recorded.add(statement)
    for (const name of READS) {
      const read = statement[name]
      Object.defineProperty(statement, name, {
        value: (...values: unknown[]): unknown => {
          const found: unknown = Reflect.apply(read, statement, values)
          record(text, Array.isArray(found) ? found : [found])
          return found
        },
      })
    }
    return statement
  }
  Database.prototype.query = function (this: Database, text: string) {
    return patched(query.call(this, text), text)
  } as typeof query
  Database.prototype.prepare = function (this: Database, text: string, ...rest: []) {
    return patched(prepare.call(this, text, ...rest), text)
  } as typeof prepare
  return () => Object.assign(Database.prototype, { query, prepare })
}

function recordPostgres(record: Recorder): () => void {
  const { use } = ConnectionPool.prototype
  ConnectionPool.prototype.use = function (timeoutMs, step) {
    return use.call(this, timeoutMs, (connection) =>
      step({
        script: (text) => connection.script(text),
        async query<Row>(text: string, values: readonly Value[]) {
          const found = await connection.query<Row>(text, values)
          record(text, found)
          return found
        },
      }),
    ) as ReturnType<typeof step>
  }
  return () => Object.assign(ConnectionPool.prototype, { use })
}

function textOf(row: unknown): string {
  return (
    JSON.stringify(row, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ) ?? ""
  )
}
