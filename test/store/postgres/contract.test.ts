import { afterAll, beforeAll, describe } from "bun:test"
import { ENGINES } from "../engines.ts"
import { TestDatabase } from "../test-database.ts"

/** Test files of the store that must also pass on PostgreSQL. They run again with one server. */
const TESTS = [
  "management/credits",
  "management/codes",
  "management/accounts",
  "management/statements",
  "keys/keyring-changes",
  "ledger/shrinking-budgets",
  "ledger/ledger-budget",
  "ledger/ledger",
]

beforeAll(() => {
  TestDatabase.engine = ENGINES.find(({ name }) => name === "PostgreSQL")
})
afterAll(() => {
  TestDatabase.engine = undefined
})

for (const test of TESTS) {
  describe(`PostgreSQL: ${test}`, () => {
    loadAgain(`../../${test}.test.ts`)
  })
}

/**
 * Loads a test file, which adds its tests. If the same process also runs the file itself, its tests are added twice.
 */
function loadAgain(path: string): void {
  const name = require.resolve(path)
  delete require.cache[name]
  require(name)
  delete require.cache[name]
}
