import { expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AUDIT } from "./audit-record.ts"
import { openSqliteReports } from "../../src/store/sqlite/requests-reports.ts"
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import { openConsoleFile } from "../../src/store/sqlite/console-file.ts"

test("only the owner can read stored files, even in another user's folder", () => {
  const data = mkdtempSync(join(tmpdir(), "tollgate-private-"))
  const database = join(data, "tollgate.db")
  const store = openSqliteStore(database)
  const users = openConsoleFile(data)
  const reports = openSqliteReports(database)
  try {
    store.methods.accounts.create({ id: "acc", name: "acc", createdAt: 1 }, AUDIT)
    const content = { request: "req", account: "acc", at: 1, asked: "{}", answered: null }
    reports.methods.payloads.keep(content)
    reports.methods.requests.indexNext()
    const files = readdirSync(data)
    for (const name of ["tollgate.db", "console.db", "reports.db", "contents.db"]) {
      expect(files).toContain(name)
    }
    const open = files.filter((name) => (statSync(join(data, name)).mode & 0o077) !== 0)
    expect(open).toEqual([])
  } finally {
    reports.close()
    users[Symbol.dispose]()
    store.close()
    rmSync(data, { recursive: true, force: true })
  }
})
