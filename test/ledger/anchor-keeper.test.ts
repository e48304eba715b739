import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { AnchorKeeper } from "../../src/ledger/anchor-keeper.ts"
import { TemporaryDirectory, TestDatabase } from "../store/test-database.ts"
import { until } from "../support/until.ts"

const SECRET = "0".repeat(64)

test("a database that lacks what it had while a node serves is reported, and what is known is kept", async () => {
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
  expect(reports).toEqual([expect.stringContaining("lacks entries that it had: 2 rows")])
  expect(existsSync(join(directory.path, "anchor.json"))).toBe(true)

  // It is reported once.
  const next = await AnchorKeeper.open(parts)
  await next[Symbol.asyncDispose]()
  expect(reports).toHaveLength(1)
})
