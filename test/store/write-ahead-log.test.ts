import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { LedgerError } from "../../src/store/ledger-error.ts"
import { asLedgerError } from "../../src/store/sqlite/explain-error.ts"
import { useWriteAheadLog } from "../../src/store/sqlite/open-database.ts"
import { TemporaryDirectory } from "./test-database.ts"

/** Time in milliseconds for which opening waits for a locked file. */
const BUSY_TIME = 200

test("opening a store times out if its file is locked exclusively", () => {
  using directory = new TemporaryDirectory()
  using owner = new Database(directory.database)
  owner.run("PRAGMA locking_mode = EXCLUSIVE")
  owner.run("CREATE TABLE theirs (id INTEGER)")
  using database = new Database(directory.database)
  database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
  const begun = performance.now()
  expect(() => useWriteAheadLog(database, BUSY_TIME)).toThrow("locked")
  expect(performance.now() - begun).toBeLessThan(20 * BUSY_TIME)
})

test("the error for a ledger that another program has locked names the ledger", () => {
  using directory = new TemporaryDirectory()
  using owner = new Database(directory.database)
  owner.run("PRAGMA locking_mode = EXCLUSIVE")
  owner.run("CREATE TABLE theirs (id INTEGER)")
  using database = new Database(directory.database)
  const error = thrownBy(() => database.run("BEGIN IMMEDIATE"))
  expect(asLedgerError(directory.database, error)).toEqual(
    new LedgerError(
      "unavailable",
      `the ledger ${directory.database} cannot be used: another program keeps it locked`,
    ),
  )
})

function thrownBy(step: () => void): unknown {
  try {
    step()
  } catch (error) {
    return error
  }
  return undefined
}
