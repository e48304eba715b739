import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { AnchorKeeper } from "../../src/ledger/anchor-keeper.ts"
import { readAnchor } from "../../src/ledger/anchor-file.ts"
import { AUDIT } from "../store/audit-record.ts"
import { TemporaryDirectory, TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

const SECRET = "0".repeat(64)

test("the loss of rows while a node runs is reported, and the anchor stays unchanged", async () => {
  using directory = new TemporaryDirectory()
  await using primary = TestDatabase.direct()
  await using replica = TestDatabase.direct()
  await primary.account("caller", 500n)
  await primary.account("other", 500n)
  await replica.account("caller", 500n)

  let database = primary
  const store = {
    get integrity() {
      return database.store.integrity
    },
    get audit() {
      return database.store.audit
    },
  }
  const reports: string[] = []
  const alarms = {
    ledgerBehind: (message: string) => void reports.push(message),
    anchorFailed: (error: unknown) => void reports.push(String(error)),
  }
  const parts = { store, data: directory.path, secret: SECRET, alarms }
  const keeper = await AnchorKeeper.open(parts)
  keeper.keep()
  await until(() => existsSync(join(directory.path, "anchor.json")))
  database = replica
  await keeper[Symbol.asyncDispose]()
  expect(reports).toEqual([expect.stringContaining("has lost entries: it had 2 rows")])
  expect(existsSync(join(directory.path, "anchor.json"))).toBe(true)

  // The problem is reported only once.
  const next = await AnchorKeeper.open(parts)
  await next[Symbol.asyncDispose]()
  expect(reports).toHaveLength(1)
})

test("the truncation of an audit log is reported once, and its anchor is not overwritten", async () => {
  using directory = new TemporaryDirectory()
  await using database = TestDatabase.direct()
  await database.account("caller", 500n)
  for (const action of ["one", "two"]) await database.store.audit.append({ ...AUDIT, action })
  const reports: string[] = []
  const parts = {
    store: database.store,
    data: directory.path,
    secret: SECRET,
    alarms: {
      ledgerBehind: (message: string) => void reports.push(message),
      anchorFailed: (error: unknown) => void reports.push(String(error)),
    },
  }
  const first = await AnchorKeeper.open(parts)
  await first[Symbol.asyncDispose]()
  const { audit } = readAnchor(directory.path, SECRET)?.anchor ?? {}
  if (audit === undefined) throw new Error("there is no anchor")

  using file = new Database(database.directory.database)
  for (const guard of ["is_never_changed", "is_never_deleted", "only_grows"]) {
    file.run(`DROP TRIGGER audit_${guard}`)
  }
  file.run("DELETE FROM audit WHERE number = ?", [audit.number])
  const second = await AnchorKeeper.open(parts)
  await database.account("other", 500n)
  await second[Symbol.asyncDispose]()
  expect(reports).toEqual([
    expect.stringContaining(`the audit log has lost records: it had record ${audit.number}`),
  ])
  expect(readAnchor(directory.path, SECRET)?.anchor.audit).toEqual(audit)

  // An attacker may also change the anchor in the ledger, but not the file, which is stored elsewhere.
  file.run("UPDATE anchor SET audit = 1, audit_hash = (SELECT hash FROM audit WHERE number = 1)")
  const third = await AnchorKeeper.open(parts)
  await third[Symbol.asyncDispose]()
  expect(reports).toHaveLength(2)
  expect(reports[1]).toContain("their extent is recorded in")
})
