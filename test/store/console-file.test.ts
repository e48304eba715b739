import { Database } from "bun:sqlite"
import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { openConsoleFile } from "../../src/store/sqlite/console-file.ts"
import { TemporaryDirectory } from "./test-database.ts"

/** Overwrites the first page of a table and of each of its indexes. */
function damage(path: string, table: string): void {
  const database = new Database(path)
  const size = database.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? 0
  const pages = database
    .query<{ rootpage: number }, [string]>("SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?")
    .all(table)
  database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
  const file = openSync(path, "r+")
  for (const { rootpage } of pages) {
    writeSync(file, Buffer.alloc(size, 0xff), 0, size, (rootpage - 1) * size)
  }
  closeSync(file)
}

test("reads of a damaged console.db fail with the store's own error, which names the file", async () => {
  using directory = new TemporaryDirectory()
  const path = join(directory.path, "console.db")
  openConsoleFile(directory.path)[Symbol.dispose]()
  damage(path, "users")
  using store = openConsoleFile(directory.path)
  await expect(store.users.hasOperator()).rejects.toMatchObject({
    name: "LedgerError",
    code: "damaged",
    message: expect.stringContaining(path),
  })
})
