import { Database } from "bun:sqlite"
import { makePrivateFile } from "../../src/store/private-file.ts"
import { migrate } from "../../src/store/sqlite/migrate.ts"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import { RequestIndex } from "../../src/store/sqlite/requests-index.ts"
import { reportsPath } from "../../src/store/sqlite/requests-reports.ts"
import { REPORTS_SCHEMA } from "../../src/store/sqlite/schemas/reports.ts"

/** Number of rows in one transaction. */
const BATCH = 25_000
const OPTIONS = { strict: true, safeIntegers: true }

/**
 * Indexes the ledger of a data folder for reports, as a gateway does when it starts. A crash may destroy the index
 * until it is complete, so that indexing takes half of the time.
 */
export function indexHistory(folder: string): void {
  const path = databaseFileIn(folder)
  using ledger = new Database(path, { ...OPTIONS, readonly: true })
  makePrivateFile(reportsPath(path))
  using index = new Database(reportsPath(path), { ...OPTIONS, create: true })
  index.run("PRAGMA journal_mode = MEMORY")
  index.run("PRAGMA synchronous = OFF")
  index.run("PRAGMA cache_size = -400000")
  migrate(index, REPORTS_SCHEMA)
  const dropped = index
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    )
    .all()
  for (const { name } of dropped) index.run(`DROP INDEX ${name}`)
  const requests = new RequestIndex(index, ledger)
  while (requests.indexNext(BATCH));
  // An index is created faster from all rows at once than row by row.
  for (const { sql } of dropped) index.run(sql)
}
