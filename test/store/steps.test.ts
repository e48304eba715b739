import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { runStep as runOnPostgres } from "../../src/store/postgres/run-steps.ts"
import type { Statements } from "../../src/store/postgres/client.ts"
import { PostgresFailure } from "../../src/store/postgres/failure.ts"
import { expectBelow, threadTime } from "../support/processor-time.ts"
import { TemporaryDirectory } from "./test-database.ts"
import { stepRunner } from "../../src/store/sqlite/run-steps.ts"
import { column, RecordColumns } from "../../src/store/steps/record-columns.ts"
import {
  containsAnyCase,
  type Engine,
  literal,
  noneOf,
  oneOf,
  perEngine,
  Renderer,
  type Sql,
  sql,
  where,
} from "../../src/store/steps/sql.ts"
import { row, rows, run, runOnPostgresql, type Rejections } from "../../src/store/steps/step.ts"

function render(statement: Sql, engine: Engine) {
  const { prepared: text, values } = new Renderer(engine, (written) => written).render(statement)
  return { text, values }
}

describe("SQL of a step", () => {
  test("binds values and inserts nested SQL", () => {
    const condition = sql`b = ${2n}`
    const statement = sql`SELECT ${sql`a`} FROM t WHERE a = ${"x"} AND ${condition}`
    expect(render(statement, "sqlite")).toEqual({
      text: "SELECT a FROM t WHERE a = ? AND b = ?",
      values: ["x", 2n],
    })
    expect(render(statement, "postgresql")).toEqual({
      text: "SELECT a FROM t WHERE a = $1 AND b = $2",
      values: ["x", 2n],
    })
  })

  test("uses the text for the engine that runs it", () => {
    const now = perEngine({ sqlite: sql`${1}`, postgresql: sql`tollgate_now()` })
    expect(render(sql`SELECT ${now}, ${2}`, "sqlite")).toEqual({
      text: "SELECT ?, ?",
      values: [1, 2],
    })
    expect(render(sql`SELECT ${now}, ${2}`, "postgresql")).toEqual({
      text: "SELECT tollgate_now(), $1",
      values: [2],
    })
  })

  test("omits conditions that are undefined", () => {
    const none = sql`SELECT 1 FROM t ${where(null, undefined, false)}`
    expect(render(none, "sqlite").text).toBe("SELECT 1 FROM t ")
    const two = where(sql`a = ${1}`, null, sql`b = ${2}`)
    expect(render(two, "postgresql").text).toBe("WHERE a = $1 AND b = $2")
  })

  test("searches text with repeated letters about as quickly as other text", () => {
    using database = new Database(":memory:")
    database.run("CREATE TABLE texts (text TEXT)")
    const repeated = "a".repeat(240)
    const add = database.prepare("INSERT INTO texts VALUES (?)")
    database.transaction(() => {
      for (let index = 0; index < 3_000; index++) add.run(repeated)
    })()
    for (const length of [10, 100]) {
      const condition = containsAnyCase(sql`text`, `${"a".repeat(length)}b`)
      const { text, values } = render(sql`SELECT 1 FROM texts WHERE ${condition}`, "sqlite")
      const query = database.query(text)
      const limit = 100
      expectBelow(
        threadTime(() => query.all(...(values as string[])), limit),
        limit,
      )
    }
  })

  test("has the same text for all lists of two or more values", () => {
    const texts = [["a", "b"], ["c", "d", "e"], []].map(
      (values) => render(sql`a ${oneOf(values)}`, "postgresql").text,
    )
    expect(new Set(texts)).toEqual(new Set(["a = ANY($1)"]))
    expect(render(oneOf(["a"]), "postgresql")).toEqual({ text: "= $1", values: ["a"] })
  })
})

function open(): Database {
  const database = new Database(":memory:", { strict: true, safeIntegers: true })
  database.run("PRAGMA foreign_keys = ON")
  database.run("CREATE TABLE parents (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
  database.run(
    `CREATE TABLE children (id TEXT PRIMARY KEY, parent TEXT REFERENCES parents (id), a INTEGER, b INTEGER,
       UNIQUE (a, b)) STRICT`,
  )
  database.run("INSERT INTO parents VALUES ('p')")
  return database
}

const REJECTIONS: Rejections = {
  children_pkey: () => new Error("same id"),
  children_parent_fkey: () => new Error("no parent"),
  children_a_b_key: () => new Error("same pair"),
}

function insert(id: string, parent: string, b: number) {
  return run(sql`INSERT INTO children VALUES (${id}, ${parent}, ${1}, ${b})`, REJECTIONS)
}

describe("the columns of a record", () => {
  interface Visit {
    readonly id: string
    readonly firstSeenAt: number | null
    readonly isOpen: boolean
    readonly tags: readonly string[]
  }
  const VISIT = new RecordColumns<Visit>(
    {
      id: "text",
      firstSeenAt: "number",
      isOpen: column("boolean", sql`state = ${1}`),
      tags: "json",
    },
    "visits",
  )

  test("can be selected by name or by an SQL expression", () => {
    expect(render(sql`SELECT ${VISIT.selected}`, "postgresql")).toEqual({
      text: 'SELECT visits.id, visits.first_seen_at, state = $1 AS "is_open", visits.tags',
      values: [1],
    })
  })

  test("bind the values of a record", () => {
    const record = { id: "a", firstSeenAt: null, isOpen: true, tags: ["x"] }
    expect(render(VISIT.values(record), "sqlite")).toEqual({
      text: "?, ?, ?, ?",
      values: ["a", null, true, '["x"]'],
    })
  })

  test("read rows of both engines", () => {
    const record = { id: "a", firstSeenAt: 7, isOpen: false, tags: ["x"] }
    const row = { id: "a", tags: '["x"]', other: 1 }
    expect(VISIT.read({ ...row, first_seen_at: 7n, is_open: 0n })).toEqual(record)
    expect(VISIT.read({ ...row, first_seen_at: 7, is_open: false })).toEqual(record)
  })
})

test("a statement is prepared once for each combination of parts", () => {
  const prepared: string[] = []
  const renderer = new Renderer("postgresql", (text) => {
    prepared.push(text)
    return text
  })
  const find = (id: string | null, limit: number | Sql) =>
    renderer.render(sql`SELECT 1 FROM t ${where(id !== null && sql`id = ${id}`)} LIMIT ${limit}`)
  expect(find("a", 1).prepared).toBe(find("b", 2).prepared)
  find(null, 1)
  find("a", sql`1`)
  expect(find("c", 3).values).toEqual(["c", 3])
  expect(prepared).toEqual([
    "SELECT 1 FROM t WHERE id = $1 LIMIT $2",
    "SELECT 1 FROM t  LIMIT $1",
    "SELECT 1 FROM t WHERE id = $1 LIMIT 1",
  ])
})

describe("a step on SQLite", () => {
  test("reads integers as bigint, and binds lists of values", () => {
    using database = open()
    const runStep = stepRunner(database)
    expect(runStep(insert("x", "p", 1))).toBe(1)
    expect(runStep(insert("y", "p", 2))).toBe(1)
    const found = (condition: ReturnType<typeof sql>) =>
      runStep(rows(sql`SELECT b FROM children WHERE ${condition} ORDER BY b`))
    expect(found(sql`id ${oneOf(["x", "y"])}`)).toEqual([{ b: 1n }, { b: 2n }])
    expect(found(sql`id ${oneOf(["y"])}`)).toEqual([{ b: 2n }])
    expect(found(sql`id ${oneOf([])}`)).toEqual([])
    expect(found(sql`id ${noneOf(["y", "z"])}`)).toEqual([{ b: 1n }])
  })

  test("maps constraint violations to errors", () => {
    using database = open()
    const runStep = stepRunner(database)
    runStep(insert("x", "p", 1))
    expect(() => runStep(insert("x", "p", 2))).toThrow("same id")
    expect(() => runStep(insert("y", "p", 1))).toThrow("same pair")
    expect(() => runStep(insert("y", "q", 2))).toThrow("no parent")
    const other = run(sql`INSERT INTO parents VALUES (${"p"})`, REJECTIONS)
    expect(() => runStep(other)).toThrow("UNIQUE constraint failed")
  })

  test("does not keep the file open after the database is closed", () => {
    using directory = new TemporaryDirectory()
    const database = new Database(directory.database, { strict: true, safeIntegers: true })
    database.run("PRAGMA journal_mode = WAL")
    database.run("CREATE TABLE t (a INTEGER) STRICT")
    const runStep = stepRunner(database)
    runStep(run(sql`INSERT INTO t VALUES (${1})`))
    for (let column = 0; column < 50; column++) {
      runStep(rows(sql`SELECT ${literal(`${column} AS number`)} FROM t`))
    }
    database.close()
    expect(existsSync(`${directory.database}-wal`)).toBe(false)
  })

  test("skips statements for PostgreSQL", () => {
    using database = open()
    const lock = runOnPostgresql(sql`SELECT id FROM parents FOR UPDATE`)
    expect(stepRunner(database)(lock)).toBeUndefined()
  })
})

describe("a step on PostgreSQL", () => {
  test("maps constraint violations to errors", async () => {
    const violation = new PostgresFailure({ errno: "23505", constraint: "children_pkey" })
    const failing = statementsThat(() => Promise.reject(violation))
    expect(await failureOf(runOnPostgres(failing, insert("x", "p", 1)))).toEqual(
      new Error("same id"),
    )
    const unnamed = run(sql`DELETE FROM children`)
    expect(await failureOf(runOnPostgres(failing, unnamed))).toBe(violation)
  })

  test("binds whole numbers as bigint", async () => {
    const bound: unknown[] = []
    const recording = statementsThat(async (_text, values) => {
      bound.push(...values)
      return []
    })
    expect(await runOnPostgres(recording, row(sql`SELECT ${1}, ${true}, ${null}`))).toBeNull()
    expect(bound).toEqual([1n, true, null])
  })
})

function statementsThat(
  perform: (text: string, values: readonly unknown[]) => Promise<readonly never[]>,
): Statements {
  return {
    rows: (text, values = []) => perform(text, values),
    row: async (text, values = []) => (await perform(text, values))[0] ?? null,
    run: async (text, values = []) => (await perform(text, values)).length,
  }
}

function failureOf(step: Promise<unknown>): Promise<unknown> {
  return step.then(
    () => undefined,
    (error: unknown) => error,
  )
}
