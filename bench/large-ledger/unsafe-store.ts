import { Database } from "bun:sqlite"
import { makePrivateFile } from "../../src/store/private-file.ts"
import type { Store } from "../../src/store/store.ts"
import { DirectFile } from "../../src/store/sqlite/direct-file.ts"
import { migrate } from "../../src/store/sqlite/migrate.ts"
import { LEDGER_SCHEMA } from "../../src/store/sqlite/schemas/ledger.ts"
import { storeMethods } from "../../src/store/sqlite/store-methods.ts"

/** Opens the store without waiting for the disk, because an incomplete ledger is useless anyway. */
export function openUnsafely(path: string): Store {
  makePrivateFile(path)
  const database = new Database(path, { create: true, strict: true, safeIntegers: true })
  database.run("PRAGMA journal_mode = MEMORY")
  database.run("PRAGMA synchronous = OFF")
  database.run("PRAGMA cache_size = -200000")
  migrate(database, LEDGER_SCHEMA)
  const unused = {
    measureCommit: () => 0,
    beginReading() {},
    leaveCheckpoints() {},
    restartLog() {},
  }
  const explained = (error: unknown): unknown => error
  const close = (): void => database.close()
  return new DirectFile({ methods: storeMethods(database), explained, close, ...unused }).store()
}

/** Adds all postings to the anchor. */
export async function bringUpAnchor(store: Store): Promise<void> {
  let isBehind = true
  while (isBehind) ({ isBehind } = await store.integrity.advanceAnchor(Date.now()))
}
