import { expect, test } from "bun:test"
import { methodNames, methodOf } from "../../src/store/methods.ts"
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { openServingStore } from "../../src/store/sqlite/serving-store.ts"
import { DatabaseWatch } from "../../src/store/sqlite/database-watch.ts"
import { openThreadedStore } from "../../src/store/sqlite/serving-store.ts"
import { TemporaryDirectory } from "./test-database.ts"

test("every kind of store has all methods", async () => {
  using directory = new TemporaryDirectory()
  const direct = openSqliteStore(directory.database)
  const names = methodNames(direct.methods)
  direct.close()
  expect(Object.values(names).flat().length).toBeGreaterThan(60)
  await using alone = await databaseOf({ data: directory.path }).openStore()
  await using threaded = await openThreadedStore(directory.database)
  await using serving = await openServingStore(directory.database, false)
  const watched = new DatabaseWatch(directory.database, () => {}).over(serving)
  for (const store of [alone, threaded, serving, watched]) {
    expect(methodNames(store)).toMatchObject(names)
  }
})

test("calling an unknown method of a store thread fails", () => {
  const methods = { accounts: { find: () => null } }
  expect(methodOf(methods, "accounts", "find")()).toBeNull()
  for (const [group, name] of [
    ["accounts", "list"],
    ["codes", "find"],
  ] as const) {
    expect(() => methodOf(methods, group, name)).toThrow(`no method '${group}.${name}'`)
  }
})
