import { expect, test } from "bun:test"
import { checkDatabase, fixOf } from "../../src/cli/doctor-database.ts"
import { LedgerError } from "../../src/store/ledger-error.ts"
import { explainedError } from "../../src/store/postgres/explain-failure.ts"
import { PostgresFailure } from "../../src/store/postgres/failure.ts"
import { loadSettings } from "../../src/config/load.ts"
import { migratedDatabase } from "../support/postgres-databases.ts"

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
  ["42704", "unknown parameters"],
  ["ERR_INVALID_ARG_TYPE", "sslrootcert"],
  ["ERR_POSTGRES_CONNECTION_FAILED", "belongs to a PostgreSQL server"],
  ["ERR_POSTGRES_CONNECTION_TIMEOUT", "firewalls"],
  ["ERR_POSTGRES_TLS_NOT_AVAILABLE", "ssl = on"],
  ["08006", "check that it runs"],
])("doctor prints the next step after %s", (code, step) => {
  expect(fixOf(failure(code))).toContain(step)
})

function settingsOf(url: string) {
  const environment = { TOLLGATE_DATABASE_URL: url }
  return loadSettings({ environment, vendors: [] }).settings
}

test("doctor names a database host that cannot be resolved", async () => {
  // A part of a host name has at most 63 characters, so no name server is asked, which could take half a minute.
  const host = `${"a".repeat(64)}.invalid`
  const url = `postgres://${host}/tollgate?sslmode=verify-full`
  const [check] = await checkDatabase(settingsOf(url))
  expect(check?.result).toBe("failed")
  expect(check?.found).toContain(`the host name '${host}' cannot be resolved`)
})

test("doctor does not report the host name as the cause if the port refuses connections", async () => {
  const [check] = await checkDatabase(settingsOf("postgres://127.0.0.1:9/tollgate"))
  expect(check).toMatchObject({ result: "failed", fix: expect.stringContaining("the port in") })
  expect(check?.found).not.toContain("resolved")
})

test("doctor fails for a database with read-only transactions", async () => {
  const url = await migratedDatabase()
  await using sql = new Bun.SQL(url, { max: 1 })
  const name = new URL(url).pathname.slice(1)
  await sql.unsafe(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`)
  const found = await checkDatabase(settingsOf(url))
  const server = found.find(({ name }) => name === "database server")
  expect(server).toMatchObject({ result: "failed" })
  expect(server?.found).toContain("with read-only transactions")
})
