import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { migrate, requireNewestSchema, type Schema } from "../../src/store/sqlite/migrate.ts"
import { LEDGER_SCHEMA } from "../../src/store/sqlite/schemas/ledger.ts"
import { TemporaryDirectory } from "./test-database.ts"

const FIRST = "CREATE TABLE first (id INTEGER)"
const SECOND = "CREATE TABLE second (id INTEGER)"

function tablesOf(database: Database): string[] {
  const rows = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema ORDER BY name")
  return rows.all().map(({ name }) => name)
}

function schemaOf(...steps: string[]): Schema {
  return { file: "the file", steps }
}

test("a migration runs only steps that are missing, and each step only once", () => {
  using database = new Database(":memory:")
  migrate(database, schemaOf(FIRST))
  expect(() => requireNewestSchema(database, schemaOf(FIRST, SECOND))).toThrow(
    "an older Tollgate (schema 1, this one reads 2)",
  )
  migrate(database, schemaOf(FIRST, SECOND))
  migrate(database, schemaOf(FIRST, SECOND))
  requireNewestSchema(database, schemaOf(FIRST, SECOND))
  expect(tablesOf(database)).toEqual(["first", "second"])
})

test("a file of a newer version or another program is not changed", () => {
  using newer = new Database(":memory:")
  migrate(newer, schemaOf(FIRST, SECOND))
  expect(() => migrate(newer, schemaOf(FIRST))).toThrow(
    "the file was written by a newer Tollgate (schema 2, this version supports 1)",
  )
  using foreign = new Database(":memory:")
  foreign.run("CREATE TABLE theirs (id INTEGER)")
  expect(() => migrate(foreign, schemaOf(FIRST))).toThrow("the tables of another program")
  expect(tablesOf(foreign)).toEqual(["theirs"])
})

test("a failed migration step leaves the file unchanged", () => {
  using database = new Database(":memory:")
  expect(() => migrate(database, schemaOf(FIRST, "CREATE NOTHING"))).toThrow()
  expect(database.inTransaction).toBe(false)
  expect(tablesOf(database)).toEqual([])
})

test("tables that can be rebuilt are created again if there is no migration from their version", () => {
  const discard = (database: Database): void => void database.run("DROP TABLE IF EXISTS first")
  using database = new Database(":memory:")
  migrate(database, schemaOf(FIRST))
  const schema = { ...schemaOf("CREATE TABLE first (id INTEGER, name TEXT)"), firstVersion: 2 }
  expect(() => migrate(database, schema)).toThrow("a pre-release build (schema 1)")
  migrate(database, { ...schema, discard })
  database.run("INSERT INTO first VALUES (1, 'kept')")
  migrate(database, { ...schema, discard })
  expect(database.query("SELECT name FROM first").get()).toEqual({ name: "kept" })
})

test("a new migration step of the ledger schema keeps all rows", () => {
  using database = new Database(":memory:")
  migrate(database, LEDGER_SCHEMA)
  database.run("INSERT INTO accounts (id, name, created_at) VALUES ('a', 'first', 1)")
  const steps = [...LEDGER_SCHEMA.steps, "ALTER TABLE accounts ADD COLUMN color TEXT DEFAULT 'red'"]
  migrate(database, { ...LEDGER_SCHEMA, steps })
  expect(database.query("SELECT name, color FROM accounts").get()).toEqual({
    name: "first",
    color: "red",
  })
  expect(() => migrate(database, LEDGER_SCHEMA)).toThrow(
    "a newer Tollgate (schema 101, this version supports 100)",
  )
})

test("a ledger of a pre-release build is rejected and left unchanged", () => {
  using database = new Database(":memory:")
  database.run(FIRST)
  database.run("PRAGMA user_version = 26")
  const rejection = "the database was written by a pre-release build (schema 26)"
  expect(() => migrate(database, LEDGER_SCHEMA)).toThrow(rejection)
  expect(() => requireNewestSchema(database, LEDGER_SCHEMA)).toThrow(rejection)
  expect(tablesOf(database)).toEqual(["first"])
})

test("a process that has waited for a migration uses the new tables", () => {
  using directory = new TemporaryDirectory()
  const before: Schema = { file: "it", steps: ["CREATE TABLE t (a, b)"] }
  const after: Schema = { ...before, steps: [...before.steps, "ALTER TABLE t ADD COLUMN c"] }
  using first = new Database(directory.database)
  migrate(first, before)
  using waiting = new Database(directory.database)
  waiting.query("SELECT a FROM t").all()
  migrate(first, after)
  migrate(waiting, after)
  waiting.run("INSERT INTO t VALUES (1, 2, 3)")
  expect(first.query("SELECT c FROM t").all()).toEqual([{ c: 3 }])
})
