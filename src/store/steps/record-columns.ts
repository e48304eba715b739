import { list, literal, numberOrNull, type PerEngine, sql, type Sql, type SqlValue } from "./sql.ts"
import { row, rows, type Step } from "./step.ts"

/** The stored form of a value. Integers that JavaScript represents exactly are numbers, and amounts are `bigint`. */
type Kind<Value> = [Exclude<Value, null>] extends [string]
  ? "text"
  : [Exclude<Value, null>] extends [bigint]
    ? "bigint"
    : [Exclude<Value, null>] extends [number]
      ? "number"
      : [Exclude<Value, null>] extends [boolean]
        ? "boolean"
        : "json"

type AnyKind = "text" | "bigint" | "number" | "boolean" | "json"

/** A column whose name or expression differs from the name of the member. */
interface Expression<Of extends AnyKind> {
  readonly kind: Of
  readonly sql: Sql | PerEngine
}

/** The column of each member. The name of a column is the member's name in snake case, unless its SQL is given. */
type ColumnsOf<Members> = {
  readonly [Name in keyof Members]-?: Kind<Members[Name]> | Expression<Kind<Members[Name]>>
}

interface Column {
  readonly member: string
  /** The name of the column in a row of a result. */
  readonly name: string
  readonly kind: AnyKind
}

type Row = Readonly<Record<string, unknown>>

/** Returns a column with its SQL. */
export function column<Of extends AnyKind>(kind: Of, text: Sql | PerEngine): Expression<Of> {
  return { kind, sql: text }
}

/** The columns of a record, from which its queries are written and its rows are read. */
export class RecordColumns<Members extends object> {
  /** The columns as SQL, to follow SELECT or RETURNING. */
  readonly selected: Sql
  /** The names of the columns as SQL, for INSERT. */
  readonly names: Sql
  readonly #columns: readonly Column[]

  /** @param table qualifies the columns without their own SQL. */
  constructor(columns: ColumnsOf<Members>, table?: string) {
    const entries = Object.entries<AnyKind | Expression<AnyKind>>(columns)
    const named = entries.map(([member, column]) => {
      const name = member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      if (typeof column === "string") {
        const selected = literal(table === undefined ? name : `${table}.${name}`)
        return { member, name, kind: column, sql: literal(name), selected }
      }
      const { kind, sql: text } = column
      return {
        member,
        name,
        kind,
        sql: sql`${text}`,
        selected: sql`${text} AS ${literal(`"${name}"`)}`,
      }
    })
    this.selected = list(named.map(({ selected }) => selected))
    this.names = list(named.map((column) => column.sql))
    this.#columns = named
  }

  /** Returns the values of a record as SQL, in the order of the names. */
  values(record: Members): Sql {
    return list(
      this.#columns.map(({ member, kind }) => {
        const value: unknown = Reflect.get(record, member)
        return sql`${storedValue(value, kind)}`
      }),
    )
  }

  /** Runs a query that selects the columns. */
  *rows(query: Sql): Step<Members[]> {
    const found = yield* rows<Row>(query)
    return found.map((row) => this.read(row))
  }

  /**
   * Runs a query that selects the columns.
   * @returns the first record, or null.
   */
  *row(query: Sql): Step<Members | null> {
    const found = yield* row<Row>(query)
    return found && this.read(found)
  }

  /** Reads the record in a row. Other columns of the row are ignored. */
  read(row: object): Members {
    const record: Record<string, unknown> = {}
    for (const { member, name, kind } of this.#columns) {
      record[member] = valueOf(Reflect.get(row, name), kind)
    }
    return record as Members
  }
}

function storedValue(value: unknown, kind: AnyKind): SqlValue {
  if (value === null || value === undefined) return null
  return kind === "json" ? JSON.stringify(value) : (value as SqlValue)
}

function valueOf(value: unknown, kind: AnyKind): unknown {
  switch (kind) {
    case "text":
    case "bigint":
      return value
    case "number":
      return numberOrNull(value as bigint | number | null)
    case "boolean":
      return Boolean(value)
    case "json":
      return value === null ? null : JSON.parse(String(value))
  }
}
