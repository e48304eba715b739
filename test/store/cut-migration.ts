/** A process that migrates a database, stops in the last step, reports this, and waits to be killed. */
import { Database } from "bun:sqlite"
import { PostgresClient } from "../../src/store/postgres/client.ts"
import { migrate as migratePostgres } from "../../src/store/postgres/migrate.ts"
import { SCHEMA } from "../../src/store/postgres/schema/steps.ts"
import { migrate } from "../../src/store/sqlite/migrate.ts"
import { LEDGER_SCHEMA } from "../../src/store/sqlite/schemas/ledger.ts"

/** The path or the address of the database. */
const place = process.argv[2] ?? ""

if (place.startsWith("postgres:")) await migrateDatabase(place)
else migrateFile(place)

/** Performs a migration step of this test, and stops before the commit. */
function migrateFile(path: string): void {
  const database = new Database(path, { strict: true, safeIntegers: true })
  // With this cache size, changed pages reach the log before the commit.
  database.run("PRAGMA cache_size = 1")
  const run = database.run.bind(database)
  database.run = ((text: string) => {
    if (text !== "stop") return run(text)
    process.stdout.write("stopped\n")
    Bun.sleepSync(600_000)
  }) as Database["run"]
  const step = "CREATE TABLE made_up AS SELECT * FROM accounts; DROP TABLE backups"
  migrate(database, { ...LEDGER_SCHEMA, steps: [...LEDGER_SCHEMA.steps, step, "stop"] })
}

/** Migrates a database. At the end of the first step, it waits for a lock that the test holds. */
async function migrateDatabase(url: string): Promise<void> {
  await using client = new PostgresClient({ url, max: 1, connectTime: 5_000 })
  const steps = SCHEMA.steps.map((step) => ({
    ...step,
    sql: `${step.sql};SELECT pg_advisory_xact_lock(1)`,
  }))
  await migratePostgres(client, { ...SCHEMA, steps })
}
