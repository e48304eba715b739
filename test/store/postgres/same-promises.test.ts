import { afterAll, beforeAll, describe } from "bun:test"
import { ENGINES } from "../engines.ts"
import { TestDatabase } from "../test-database.ts"

/** Tests of the store in other files that must also pass on PostgreSQL: they run again, on one server. */
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

/** Its tests are added when it is loaded: here, and once more where the same process runs the file itself. */
function loadAgain(path: string): void {
  const name = require.resolve(path)
  delete require.cache[name]
  require(name)
  delete require.cache[name]
}
