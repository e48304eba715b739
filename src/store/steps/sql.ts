import { globPattern, partPattern } from "../text-filters.ts"

/** The engines on which steps can run. */
export type Engine = "sqlite" | "postgresql"

/**
 * A bound value. Numbers are whole. A list of texts is `text[]` on PostgreSQL and a JSON array on SQLite, and must be
 * used through `oneOf`, `noneOf` or `eachOf`.
 */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array | readonly string[]

type Part = SqlValue | Sql | PerEngine

/** SQL with its values, created by `sql`. */
export class Sql {
  readonly texts: readonly string[]
  readonly parts: readonly Part[]

  constructor(texts: readonly string[], parts: readonly Part[]) {
    this.texts = texts
    this.parts = parts
  }
}

/** SQL with a different text for each engine. */
export class PerEngine {
  readonly sqlite: Sql
  readonly postgresql: Sql

  constructor({ sqlite, postgresql }: Readonly<Record<Engine, Sql>>) {
    this.sqlite = sqlite
    this.postgresql = postgresql
  }
}

/**
 * Tags a statement or a part of one. Interpolated SQL becomes a part of the text. All other values are bound to
 * placeholders, so that the text never contains a value and its prepared statement can be reused.
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  return new Sql(texts, parts)
}

const LITERALS = new Map<string, Sql>()

/** Returns SQL for a constant of the program, such as a list of columns. */
export function literal(text: string): Sql {
  let known = LITERALS.get(text)
  if (!known) LITERALS.set(text, (known = new Sql([text], [])))
  return known
}

export function perEngine(texts: Readonly<Record<Engine, Sql>>): PerEngine {
  return new PerEngine(texts)
}

/** Joins several parts with commas. */
export function list(parts: readonly Sql[]): Sql {
  return joined(parts, ", ")
}

/** Caches the texts between joined parts, because `Renderer` recognizes equal texts by their identity. */
const JOINTS = new Map<string, readonly string[]>()

function joined(parts: readonly Sql[], separator: string): Sql {
  const name = `${parts.length}${separator}`
  let texts = JOINTS.get(name)
  if (!texts) JOINTS.set(name, (texts = ["", ...parts.slice(1).map(() => separator), ""]))
  return new Sql(texts, parts)
}

/** Returns `WHERE a AND b`. Conditions that are null, undefined or false are omitted. */
export function where(...conditions: readonly (Sql | null | undefined | false)[]): Sql {
  const parts = conditions.filter((condition) => condition instanceof Sql)
  return parts.length === 0 ? sql`` : sql`WHERE ${joined(parts, " AND ")}`
}

/** Returns `(a OR b)`. Conditions that are false are omitted. */
export function anyOf(...conditions: readonly (Sql | false)[]): Sql {
  return sql`(${joined(
    conditions.filter((condition) => condition instanceof Sql),
    " OR ",
  )})`
}

/**
 * Returns a condition that follows a column and matches any of the values. A single value uses `=`, so that an index on
 * this column and a second one keeps its order.
 */
export function oneOf(values: readonly string[]): Sql {
  const [first, ...others] = values
  if (first !== undefined && others.length === 0) return sql`= ${first}`
  return sql`${perEngine({
    sqlite: sql`IN (SELECT value FROM json_each(${values}))`,
    postgresql: sql`= ANY(${values})`,
  })}`
}

/** Returns a condition that follows a column and excludes all of the values. */
export function noneOf(values: readonly string[]): PerEngine {
  return perEngine({
    sqlite: sql`NOT IN (SELECT value FROM json_each(${values}))`,
    postgresql: sql`<> ALL(${values})`,
  })
}

/** Returns a table with one row for each text, in the column `value`. */
export function eachOf(values: readonly string[]): PerEngine {
  return perEngine({
    sqlite: sql`json_each(${values})`,
    postgresql: sql`unnest(CAST(${values} AS text[])) AS each_text (value)`,
  })
}

/** Returns a condition on whether a text contains another text. */
export function contains(text: Sql, part: string | Sql): PerEngine {
  return perEngine({
    sqlite: sql`instr(${text}, ${part}) > 0`,
    postgresql: sql`strpos(${text}, ${part}) > 0`,
  })
}

/**
 * Maximum characters that SQLite searches with `LIKE`. It takes half as long as a comparison in lower case, but its
 * worst case is the product of both lengths.
 */
const MAX_LIKE_LENGTH = 16

/** Returns a condition on whether a text contains another text, regardless of the case of ASCII letters. */
export function containsAnyCase(text: Sql, part: string): PerEngine {
  return perEngine({
    sqlite:
      part.length > MAX_LIKE_LENGTH
        ? sql`instr(lower(${text}), lower(${part})) > 0`
        : sql`${text} LIKE ${partPattern(part)} ESCAPE '\\'`,
    postgresql: sql`strpos(lower(${text}), lower(${part})) > 0`,
  })
}

/** Returns a condition on whether a text matches a glob with `*` and `?`. */
export function matchesGlob(text: Sql, glob: string): PerEngine {
  return perEngine({
    sqlite: sql`${text} GLOB ${glob}`,
    postgresql: sql`${text} LIKE ${globPattern(glob)}`,
  })
}

/** Returns the larger of two values that are not null. */
export function larger(left: Sql, right: Sql): PerEngine {
  return perEngine({
    sqlite: sql`max(${left}, ${right})`,
    postgresql: sql`greatest(${left}, ${right})`,
  })
}

/**
 * Follows a SELECT and locks its rows until the transaction ends. SQLite has only one writer at a time, so it needs no
 * locks.
 */
export const FOR_UPDATE = onPostgresql(sql`FOR UPDATE`)
export const FOR_NO_KEY_UPDATE = onPostgresql(sql`FOR NO KEY UPDATE`)
export const FOR_SHARE = onPostgresql(sql`FOR SHARE`)
/** Locks rows without waiting. Rows that another transaction has locked are skipped. */
export const SKIP_LOCKED = onPostgresql(sql`FOR UPDATE SKIP LOCKED`)

function onPostgresql(postgresql: Sql): PerEngine {
  return perEngine({ sqlite: sql``, postgresql })
}

/** A boolean column in the form in which the engine reads it. */
export type SqlBoolean = boolean | bigint

/** Converts an integer that may be null to a number. */
export function numberOrNull(value: bigint | number | null): number | null {
  return value === null ? null : Number(value)
}

/** A statement in the form in which an engine runs it. */
export interface RenderedSql<Prepared> {
  readonly prepared: Prepared
  readonly values: readonly SqlValue[]
}

/** A node in a tree of statements. Statements with the same parts in the same order have the same text. */
class StatementNode<Prepared> {
  readonly next = new Map<object, StatementNode<Prepared>>()
  prepared: Prepared | undefined

  after(part: object): StatementNode<Prepared> {
    let node = this.next.get(part)
    if (!node) this.next.set(part, (node = new StatementNode()))
    return node
  }
}

/** Stands for a value between the texts of a statement. */
const BOUND = {}

/**
 * Renders statements for an engine and prepares each text only once. Texts are looked up by their templates, which is
 * faster than rendering them again.
 */
export class Renderer<Prepared extends string | object> {
  readonly #engine: Engine
  readonly #prepare: (text: string) => Prepared
  readonly #start = new StatementNode<Prepared>()

  constructor(engine: Engine, prepare: (text: string) => Prepared) {
    this.#engine = engine
    this.#prepare = prepare
  }

  render(statement: Sql): RenderedSql<Prepared> {
    const values: SqlValue[] = []
    const node = this.#follow(statement, this.#start, values)
    node.prepared ??= this.#prepare(this.#textOf(statement, { values: 0 }))
    return { prepared: node.prepared, values }
  }

  #follow(
    { texts, parts }: Sql,
    start: StatementNode<Prepared>,
    values: SqlValue[],
  ): StatementNode<Prepared> {
    let node = start.after(texts)
    for (const part of parts) {
      if (part instanceof Sql) node = this.#follow(part, node, values)
      else if (part instanceof PerEngine) node = this.#follow(part[this.#engine], node, values)
      else {
        values.push(part)
        node = node.after(BOUND)
      }
    }
    return node
  }

  #textOf({ texts, parts }: Sql, count: { values: number }): string {
    let text = texts[0] ?? ""
    parts.forEach((part, index) => {
      if (part instanceof Sql) text += this.#textOf(part, count)
      else if (part instanceof PerEngine) text += this.#textOf(part[this.#engine], count)
      else text += this.#engine === "sqlite" ? "?" : `$${++count.values}`
      text += texts[index + 1] ?? ""
    })
    return text
  }
}
