import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { RECALL_LIFETIME_MS } from "../../../src/store/leases.ts"
import { PostgresClient } from "../../../src/store/postgres/client.ts"
import { migrate, type Schema } from "../../../src/store/postgres/migrate.ts"
import { NAMES, NAMES_OF_RECEIPT, REPORTED } from "../../../src/store/postgres/report-columns.ts"
import { SCHEMA } from "../../../src/store/postgres/schema/steps.ts"
import { PostgresServer } from "../../support/postgres-server.ts"

const ROUTINES = join(import.meta.dir, "../../../src/store/postgres/routines")
/** Matches a routine: its header up to the body, and its body. */
const ROUTINE = /CREATE OR REPLACE (FUNCTION|PROCEDURE) (\w+)\(([^$]*?)AS \$\$(.*?)\$\$;/gs

/** The next version of the schema. It adds a column and changes a routine. */
const NEXT: Schema = {
  ...SCHEMA,
  steps: [...SCHEMA.steps, { sql: "ALTER TABLE accounts ADD COLUMN color text", oldest: 100 }],
  routines: { ...SCHEMA.routines, "tollgate-now": clockOf(42) },
}

function clockOf(moment: number): string {
  return `CREATE OR REPLACE FUNCTION tollgate_now() RETURNS bigint LANGUAGE sql AS $$ SELECT ${moment}::bigint $$`
}

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server[Symbol.asyncDispose]())

async function open(): Promise<PostgresClient> {
  return new PostgresClient({ url: server.url(await server.create()), max: 2, connectTime: 5_000 })
}

async function clock(client: PostgresClient): Promise<number> {
  return Number((await client.row<{ now: bigint }>("SELECT tollgate_now() AS now"))?.now)
}

describe("a PostgreSQL migration", () => {
  test("applies a new step, keeps the rows, and replaces changed routines", async () => {
    await using client = await open()
    expect(await migrate(client, SCHEMA)).toEqual({ version: 100, oldest: 100 })
    await client.run("INSERT INTO accounts (id, name, created_at) VALUES ('a', 'first', 1)")
    expect(await migrate(client, NEXT)).toEqual({ version: 101, oldest: 100 })
    expect(await client.rows("SELECT name, color FROM accounts")).toEqual([
      { name: "first", color: null },
    ])
    expect(await clock(client)).toBe(42)
  })

  test("keeps newer routines when a compatible older program starts", async () => {
    await using client = await open()
    await migrate(client, NEXT)
    expect(await migrate(client, SCHEMA)).toEqual({ version: 101, oldest: 100 })
    expect(await clock(client)).toBe(42)
  })

  test("replaces a changed routine exactly once, even without a migration step", async () => {
    await using client = await open()
    await migrate(client, SCHEMA)
    const routines = { ...SCHEMA.routines, "tollgate-now": clockOf(7) }
    const programs = Array.from({ length: 3 }, () => migrate(client, { ...SCHEMA, routines }))
    await Promise.all(programs)
    expect(await clock(client)).toBe(7)
    const owned = "SELECT count(*)::int AS count FROM pg_proc WHERE proname = 'tollgate_now'"
    expect(await client.row(owned)).toEqual({ count: 1 })
  })

  test("leaves everything unchanged if its step or a routine fails", async () => {
    await using client = await open()
    await migrate(client, SCHEMA)
    const before = await clock(client)
    const broken = { sql: "CREATE TABLE t (a int); CREATE NOTHING", oldest: 100 }
    const failing = [
      { ...NEXT, steps: [...SCHEMA.steps, broken] },
      { ...NEXT, routines: { ...NEXT.routines, "take-lease": "CREATE NOTHING" } },
    ]
    for (const schema of failing) {
      await expect(migrate(client, schema)).rejects.toThrow("NOTHING")
      expect(await clock(client)).toBeGreaterThanOrEqual(before)
      expect(await client.row("SELECT version FROM tollgate_schema")).toEqual({ version: 100 })
    }
    await migrate(client, SCHEMA)
  })

  test("rejects a database with an incompatible newer schema", async () => {
    await using client = await open()
    const steps = [...SCHEMA.steps, { sql: "DROP TABLE backups", oldest: 101 }]
    await migrate(client, { ...NEXT, steps })
    await expect(migrate(client, SCHEMA)).rejects.toThrow(
      "the database has schema 101, which this Tollgate (schema 100) does not support: start a newer version",
    )
  })

  test("rejects a database of a pre-release build", async () => {
    await using client = await open()
    await client.run("CREATE TABLE tollgate_schema (version int, oldest int)")
    await client.run("INSERT INTO tollgate_schema VALUES (23, 1)")
    await expect(migrate(client, SCHEMA)).rejects.toThrow(
      "the database has schema 23 of a pre-release build, which cannot be upgraded: set database.url to an empty database",
    )
  })
})

test("the routines in a database match the files", async () => {
  await using client = await open()
  await migrate(client, SCHEMA)
  const stored = await client.rows<{ name: string; signature: string; body: string }>(
    `SELECT proname::text AS name, prosrc AS body, CASE prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END || ' '
       || pg_get_function_arguments(oid) || coalesce(' ' || pg_get_function_result(oid), '') AS signature
     FROM pg_proc WHERE pronamespace = current_schema()::regnamespace ORDER BY proname`,
  )
  const files = [...new Bun.Glob("*.sql").scanSync(ROUTINES)]
  expect(Object.keys(SCHEMA.routines).toSorted()).toEqual(
    files.map((file) => basename(file, ".sql")).toSorted(),
  )
  const written = files.flatMap((file) => [
    ...readFileSync(join(ROUTINES, file), "utf8").matchAll(ROUTINE),
  ])
  expect(written.map(([, , name]) => name ?? "").toSorted()).toEqual(stored.map(({ name }) => name))
  for (const { name, signature, body } of stored) {
    const [, kind, , header = "", source] = written.find(([, , own]) => own === name) ?? []
    expect(body).toBe(source ?? "")
    const argumentsOf = header.replaceAll(/--.*/g, "").replaceAll(/\s+/g, " ")
    expect(normalized(signature)).toBe(normalized(`${kind} ${argumentsOf}`))
  }
})

test.each([
  ["post-batch", [REPORTED, NAMES, NAMES_OF_RECEIPT]],
  ["expire-holds", [REPORTED, NAMES, NAMES_OF_RECEIPT]],
  ["set-expired-aside", [NAMES, NAMES_OF_RECEIPT]],
])("the routine %s writes all columns of reports, in their order", (routine, lists) => {
  const text = readFileSync(join(ROUTINES, `${routine}.sql`), "utf8").replaceAll(/\s+/g, " ")
  for (const list of lists) expect(text).toContain(list)
})

test("the routine take-lease reserves recalled amounts for the lifetime of a recall", () => {
  const text = readFileSync(join(ROUTINES, "take-lease.sql"), "utf8")
  expect(text).toContain(`at > tollgate_now() - ${RECALL_LIFETIME_MS})`)
})

/**
 * Reduces a header to names and types. `IN` is the default, and a signature contains no options such as the language.
 */
function normalized(signature: string): string {
  return signature
    .replace(/\)?\s*RETURNS|LANGUAGE.*|\bSET\b.*/g, " ")
    .replaceAll(/\bIN \b|[(),\s]/g, "")
    .replace(/LANGUAGE.*$/, "")
}
