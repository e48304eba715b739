import { expect, test } from "bun:test"
import { settingsChanges } from "../../src/config/changes.ts"
import { load } from "./harness.ts"

test("reports every changed setting of the database, and that it needs a restart", () => {
  const url = "postgres://localhost/tollgate"
  const before = load(`database: { url: "${url}" }`).settings
  const after = load(`
database:
  url: "${url}2"
  connections: 5
  allow_insecure: true
  prepared_statements: false
  secret: "0123456789abcdef0123456789abcdef"
  settle: journal
  patience: 3s
  lease_term: 20s
`).settings
  const { changed, restartNeeded } = settingsChanges(before, before, after)
  const names = [
    "database.allow_insecure",
    "database.connections",
    "database.lease_term",
    "database.patience",
    "database.prepared_statements",
    "database.secret",
    "database.settle",
    "database.url",
  ]
  expect(changed.toSorted()).toEqual(names)
  expect(restartNeeded.toSorted()).toEqual(names)
  expect(settingsChanges(after, after, after)).toEqual({ changed: [], restartNeeded: [] })
})
