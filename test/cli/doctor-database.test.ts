import { expect, test } from "bun:test"
import { mendOf } from "../../src/cli/doctor-database.ts"
import { LedgerError } from "../../src/store/ledger-error.ts"
import { explainedError } from "../../src/store/postgres/explain-failure.ts"
import { PostgresFailure } from "../../src/store/postgres/failure.ts"

function failure(code: string): LedgerError {
  const explained = explainedError(new PostgresFailure({ code, message: "no" }), "server")
  if (explained instanceof LedgerError) return explained
  throw new Error(`${code} is not a failure of the database`)
}

test.each([
  ["3D000", "create the database"],
  ["28P01", "the password in database.url"],
  ["53300", "max_connections"],
  ["25006", "accepts writes"],
  ["ERR_POSTGRES_CONNECTION_REFUSED", "the host and the port in database.url"],
  ["08006", "check that it runs"],
])("doctor names the next step after %s", (code, step) => {
  expect(mendOf(failure(code))).toContain(step)
})
