import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { migrate } from "../../src/store/sqlite/migrate.ts"
import { LEDGER_SCHEMA } from "../../src/store/sqlite/schemas/ledger.ts"

const QUESTIONS = [
  ["keys_by_account", "SELECT count(*) FROM keys WHERE account = 'a' AND revoked_at IS NULL"],
  ["keys_by_account", "UPDATE keys SET revision = 1 WHERE account = 'a'"],
  ["keys_by_time", "SELECT id FROM keys ORDER BY created_at DESC, id DESC LIMIT 20"],
] as const

for (const [index, question] of QUESTIONS) {
  test(`a query for one key reads no rows of other keys: ${question}`, () => {
    using database = new Database(":memory:", { strict: true })
    migrate(database, LEDGER_SCHEMA)
    const plan = database.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${question}`).all()
    expect(plan.map(({ detail }) => detail).join("; ")).toContain(`INDEX ${index}`)
  })
}
