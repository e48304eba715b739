/** A process that brings a database up to date, stops where it is told to, says so and waits to be killed. */
import { Database } from "bun:sqlite"
import { PostgresClient } from "../../src/store/postgres/client.ts"
import { migrate as migratePostgres } from "../../src/store/postgres/migrate.ts"
import { SCHEMA } from "../../src/store/postgres/schema/steps.ts"
import { migrate } from "../../src/store/sqlite/migrate.ts"
import { BOOK_SCHEMA } from "../../src/store/sqlite/schemas/book.ts"

/** `PLACE STEP inside|after`: the path or the address of a database, and where in the step, counted from 1, it stops. */
const [place = "", step = "0", where = "after"] = process.argv.slice(2)
const at = Number(step)

if (place.startsWith("postgres:")) await migrateDatabase(place)
else migrateFile(place)

function migrateFile(path: string): void {
  const database = new Database(path, { strict: true, safeIntegers: true })
  // Unfinished pages reach the log before the end.
  database.run("PRAGMA cache_size = 1")
  const steps = BOOK_SCHEMA.steps.with(at - 1, "stop")
  const run = database.run.bind(database)
  const sql = BOOK_SCHEMA.steps[at - 1] ?? ""
  database.run = ((text: string) => {
    if (text !== "stop") return run(text)
    run(where === "after" ? sql : sql.slice(0, sql.indexOf(";\n") + 1))
    process.stdout.write("stopped\n")
    Bun.sleepSync(600_000)
  }) as Database["run"]
  migrate(database, { ...BOOK_SCHEMA, steps })
}

/** It waits at the end of the step for a lock that the test has. */
async function migrateDatabase(url: string): Promise<void> {
  await using client = new PostgresClient({ url, max: 1, connectTime: 5_000 })
  const stopped = SCHEMA.map((one, index) =>
    index === at - 1 ? { ...one, sql: `${one.sql};SELECT pg_advisory_xact_lock(1)` } : one,
  )
  await migratePostgres(client, stopped)
}
