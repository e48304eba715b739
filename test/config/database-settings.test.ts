import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigError } from "../../src/config/config-error.ts"
import { describeSettings } from "../../src/config/describe.ts"
import { loadSettings } from "../../src/config/load.ts"
import { secretsOf } from "../../src/config/secret-values.ts"
import { isLocalHost } from "../../src/database-address.ts"
import { TemporaryDirectory } from "../store/test-database.ts"

const SECRET = "0123456789abcdef0123456789abcdef"

function load(environment: Record<string, string>) {
  return loadSettings({ environment, vendors: [] }).settings
}

function rejectionOf(environment: Record<string, string>): string {
  try {
    load(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return "taken"
}

describe("database settings", () => {
  test("have SQLite as the default", () => {
    expect(load({}).database).toBeUndefined()
  })

  test.each([
    [
      "database:\n  url: postgres://db.example.com/tollgate\n",
      "2:8: database.url: connects to db.example.com over",
    ],
    ["database:\n  settle: journal\n", "2:11: database.settle: is for a PostgreSQL"],
  ])("cause an error with the line number if one of them is invalid: %j", (text, place) => {
    const load = () => loadSettings({ environment: {}, vendors: [], file: "tollgate.yaml", text })
    expect(load).toThrow(`tollgate.yaml:${place}`)
  })

  test("hide passwords and secrets in output and logs", () => {
    const settings = load({
      TOLLGATE_DATABASE_URL: "postgres://me:p%40ss-word@localhost:5433/tollgate",
      TOLLGATE_SECRET: SECRET,
    })
    const shown = JSON.stringify(describeSettings(settings))
    expect(shown).toContain("postgres://localhost:5433/tollgate")
    expect(shown).not.toContain("ss-word")
    expect(shown).not.toContain(SECRET)
    expect(secretsOf(settings)).toEqual(expect.arrayContaining(["p@ss-word", SECRET]))
  })

  test.each([
    ["mysql://localhost/tollgate", "must be an address such as postgres://"],
    ["postgres://localhost", "names no database"],
    ["postgres://one:x/tollgate", "has a port that is not a number from 1 to 65535"],
    ["postgres://one:99999/tollgate", "has a port that is not a number from 1 to 65535"],
    ["postgres://localhost:5432,two:0/tollgate", "has a port that is not a number"],
    ["postgres://a:b:c/tollgate", "must be an address such as postgres://"],
    ['"postgres://localhost/tollgate"', "contains the quotes around the address"],
    ["'postgres://localhost/tollgate'", "contains the quotes around the address"],
    ["postgres://one,/tollgate", "must be an address such as postgres://"],
    ["postgres://one:5432,two:5432/tollgate", "without verifying the server"],
    ["postgres://localhost,two.example.com/tollgate", "connects to two.example.com over a network"],
    ["postgres://one:5432,two:5432/tollgate?sslmode=verify-full", "taken"],
    ["postgres://me:word@localhost:5432,127.0.0.1,[::1]:5433/tollgate", "taken"],
    ["postgres://localhost,127.0.0.2/tollgate?target_session_attrs=read-write", "taken"],
    ["postgres://localhost/tollgate?target_session_attrs=standby", "requests a read-only server"],
    ["postgres://localhost/tollgate?sslmode=sure", "has an unknown sslmode"],
    ["postgres://db.example.com/tollgate", "without verifying the server"],
    ["postgres://db.example.com/tollgate?sslmode=require", "without verifying the server"],
    ["postgres://db.example.com/tollgate?sslmode=verify-full", "taken"],
    ["postgres://db.example.com/tollgate?sslrootcert=/ca.pem", "taken"],
    ["postgresql://127.0.0.1/tollgate", "taken"],
    ["postgres://[::1]/tollgate", "taken"],
  ])("cause an error if one of them is invalid: %s: %s", (url, words) => {
    expect(rejectionOf({ TOLLGATE_DATABASE_URL: url })).toContain(words)
  })

  test.each([
    "p/w",
    "p#w",
    "p?w",
    "p@ss/w",
    "12/w",
    "12#w",
    "12?w",
    "p@s?w",
    "p%w",
    "100%",
    "p,w/x",
  ])("require a percent-encoded password: %s", (password) => {
    const url = `postgres://me:${password}@localhost:5432/tollgate`
    const rejection = rejectionOf({ TOLLGATE_DATABASE_URL: url })
    expect(rejection).toContain("TOLLGATE_DATABASE_URL: cannot be read: the user name and")
    expect(rejection).toContain("must be percent-encoded")
    expect(rejection).not.toContain(password)
    const encoded = `postgres://me:${encodeURIComponent(password)}@localhost:5432/tollgate`
    const settings = load({ TOLLGATE_DATABASE_URL: encoded })
    expect(secretsOf(settings)).toContain(password)
  })

  test("show all hosts without the password", () => {
    const url = "postgres://me:word@localhost:5432,[::1]:5433/tollgate?sslmode=disable"
    const shown = JSON.stringify(describeSettings(load({ TOLLGATE_DATABASE_URL: url })))
    expect(shown).toContain("postgres://localhost:5432,[::1]:5433/tollgate")
    expect(shown).not.toContain("word")
  })

  test("include the settlement target, which determines the default lease term", () => {
    const url = { TOLLGATE_DATABASE_URL: "postgres://localhost/tollgate" }
    const plain = load(url).database
    expect(plain).toMatchObject({ settle: "database", settleTimeout: 10_000, leaseTerm: 15_000 })
    const journal = load({ ...url, TOLLGATE_SETTLE: "journal" }).database
    expect(journal).toMatchObject({ settle: "journal", leaseTerm: 60_000 })
    expect(rejectionOf({ ...url, TOLLGATE_SETTLE: "log" })).toContain(
      "Known here: database, journal",
    )
    expect(rejectionOf({ TOLLGATE_SETTLE: "journal" })).toContain(
      "TOLLGATE_SETTLE: is for a PostgreSQL database",
    )
  })

  test.each([
    ["5s", 5_000],
    ["10m", 600_000],
    ["4s", "must be between 5s and 10m"],
    ["11m", "must be between 5s and 10m"],
    ["soon", "must be a length of time"],
  ])("limit a lease term to between 5 seconds and 10 minutes: %s", (term, expected) => {
    using folder = new TemporaryDirectory()
    const file = join(folder.path, "tollgate.yaml")
    const url = "postgres://localhost/tollgate"
    writeFileSync(
      file,
      `database: { url: "${url}", lease_term: ${term}, settle: journal, settle_timeout: 3s }`,
    )
    const read = () => loadSettings({ environment: {}, vendors: [], file }).settings.database
    if (typeof expected === "number") {
      expect(read()).toMatchObject({ leaseTerm: expected, settleTimeout: 3_000, settle: "journal" })
    } else expect(read).toThrow(expected)
  })

  test("require a secret of at least 32 characters", () => {
    expect(rejectionOf({ TOLLGATE_SECRET: "short" })).toContain("at least 32 characters")
  })
})

test.each([
  ["", true],
  ["localhost", true],
  ["LocalHost:5432", true],
  ["127.0.0.1", true],
  ["127.255.0.9:5432", true],
  ["[::1]", true],
  ["[::1]:5432", true],
  ["localhost.example.com", false],
  ["notlocalhost", false],
  ["127.0.0.1.example.com", false],
  ["127.example.com", false],
  ["128.0.0.1", false],
  ["0.0.0.0", false],
  ["[::]", false],
  ["[::1%1]", false],
  ["[fe80::1]", false],
  ["10.0.0.1:127", false],
])("the database host %p is recognized as local or not", (host, isLocal) => {
  expect(isLocalHost(host)).toBe(isLocal)
})
