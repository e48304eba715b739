import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { readdirSync, readlinkSync } from "node:fs"
import { dirname } from "node:path"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { useWriteAheadLog } from "../../src/store/sqlite/open-database.ts"
import { until } from "../support/until.ts"
import { BEFORE, happen, reportsOf, pruneAll } from "./contract/pruning.ts"
import { TemporaryDirectory } from "./test-database.ts"

test("a backup contains every row with its row id, even after old rows were removed", async () => {
  using folder = new TemporaryDirectory()
  using copy = new TemporaryDirectory()
  const database = databaseOf({ data: folder.path })
  await using served = await database.openToServe(false)
  await happen(served.store)
  await pruneAll(served.store, BEFORE)
  await served.store.integrity.advanceAnchor(Date.now())
  await database.backUp(copy.path)

  const positions = (path: string) => {
    using opened = new Database(path, { readonly: true })
    return opened.query("SELECT rowid AS row, hash FROM entries ORDER BY rowid").all()
  }
  expect(positions(copy.database)).toEqual(positions(folder.database))
  const reports = await reportsOf(served)
  await using again = await databaseOf({ data: copy.path }).openToServe(false)
  expect((await verifyLedgers(again.store)).problems).toEqual([])
  expect(await reportsOf(again)).toEqual(reports)
})

test("a backup does not delay writers, and the write-ahead log can restart afterwards", async () => {
  using folder = new TemporaryDirectory()
  using writer = new Database(folder.database, { create: true })
  useWriteAheadLog(writer)
  writer.run("PRAGMA wal_autocheckpoint = 0")
  // The test fails if the writer has to wait.
  writer.run("PRAGMA busy_timeout = 0")
  writer.run("CREATE TABLE filler (bytes BLOB)")
  using reader = new Database(folder.database, { readonly: true })
  reader.run("BEGIN")
  reader.query("SELECT count(*) FROM filler").get()
  const thread = new Worker(
    new URL("../../src/store/sqlite/checkpoint-thread.ts", import.meta.url).href,
  )
  thread.postMessage(folder.database)
  const fill = () => writer.run("INSERT INTO filler VALUES (randomblob(4000000))")
  const state = () =>
    writer
      .query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)")
      .all()[0] ?? { log: 0, checkpointed: 0 }
  let restarts = 0
  thread.addEventListener("message", () => restarts++)
  const began = performance.now()
  // The time is long enough for the thread to check several times whether the log is large enough to checkpoint.
  while (performance.now() - began < 1_000 || state().log <= 4_000) {
    if (state().log < 30_000) fill()
    else writer.run("INSERT INTO filler VALUES (x'00')")
    await Bun.sleep(1)
  }
  expect(state().log).toBeGreaterThan(4_000)
  expect(restarts).toBe(0)
  reader.run("ROLLBACK")
  await until(() => {
    writer.run("INSERT INTO filler VALUES (x'00')")
    return restarts > 0
  })
  thread.terminate()
})

test.skipIf(process.platform !== "linux")("a repeated backup leaves no files open", async () => {
  using folder = new TemporaryDirectory()
  const database = databaseOf({ data: folder.path })
  await using store = await database.openStore()
  expect(await store.accounts.any()).toBe(false)
  const copies = Array.from({ length: 5 }, () => new TemporaryDirectory())
  for (const copy of copies) await database.backUp(copy.path)
  const paths = new Set(copies.map(({ path }) => path))
  const isOpen = () =>
    readdirSync("/proc/self/fd").some((name) => {
      try {
        return paths.has(dirname(readlinkSync(`/proc/self/fd/${name}`)))
      } catch {
        return false
      }
    })
  await until(() => !isOpen())
  for (const copy of copies) copy[Symbol.dispose]()
})
