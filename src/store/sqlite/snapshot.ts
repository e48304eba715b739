import type { Database } from "bun:sqlite"
import { existsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { LedgerError } from "../ledger-error.ts"
import type { UserName, Snapshot } from "../database.ts"
import { DirectFile } from "./direct-file.ts"
import { asLedgerError } from "./explain-error.ts"
import { requireNewestSchema } from "./migrate.ts"
import { openForReading } from "./open-for-reading.ts"
import { CONSOLE_SCHEMA } from "./schemas/console.ts"
import { openSqliteReader } from "./sqlite-store.ts"

/**
 * Performs a step that reads a ledger and the users of the console, each in its state at one moment. It creates nothing
 * and blocks no writer. The write-ahead log grows until the step ends.
 * @param path the path of the ledger.
 * @throws LedgerError `not_found`, `damaged`, `unavailable`, `other_version`.
 */
export async function readSqliteSnapshot<T>(
  path: string,
  step: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const consolePath = join(dirname(path), "console.db")
  const watches = [new QuietFile(path), new QuietFile(consolePath)]
  try {
    const file = openSqliteReader(path)
    await using store = new DirectFile(file).store()
    using users = openUserNames(consolePath)
    file.beginReading()
    return await step({ store, users })
  } catch (error) {
    // A file that was changed while it was read without locks looks damaged.
    for (const watch of watches) watch.requireQuiet()
    throw error
  } finally {
    for (const watch of watches) watch.requireQuiet()
  }
}

/** A database that no process had open when the read began. It is read without locks. */
class QuietFile {
  readonly #path: string
  readonly #before: string | undefined

  constructor(path: string) {
    this.#path = path
    this.#before = isOpenElsewhere(path) ? undefined : stateOf(path)
  }

  /**
   * Checks that the file has not been written since.
   * @throws LedgerError `unavailable`
   */
  requireQuiet(): void {
    if (this.#before === undefined || stateOf(this.#path) === this.#before) return
    throw new LedgerError(
      "unavailable",
      `a gateway has started on ${this.#path} while it was read without one: run the command again`,
    )
  }
}

/** Whether the index of the log exists. It exists while a process has the database open. */
function isOpenElsewhere(path: string): boolean {
  return existsSync(`${path}-shm`)
}

function stateOf(path: string): string {
  const files = ["", "-wal", "-shm"].map((end) => statSync(path + end, { throwIfNoEntry: false }))
  return files.map((file) => (file ? `${file.size} ${file.mtimeMs}` : "none")).join()
}

type UserNames = Snapshot["users"] & Disposable

function openUserNames(path: string): UserNames {
  if (!existsSync(path)) return { many: async () => new Map(), [Symbol.dispose]() {} }
  try {
    const database = openForReading(path)
    requireNewestSchema(database, CONSOLE_SCHEMA)
    database.run("BEGIN")
    // The first read determines the state that all reads see.
    namesOf(database, [])
    return {
      many: async (ids) => namesOf(database, ids),
      [Symbol.dispose]: () => database.close(),
    }
  } catch (error) {
    throw asLedgerError(path, error)
  }
}

function namesOf(database: Database, ids: readonly string[]): ReadonlyMap<string, UserName> {
  const rows = database
    .query<UserName & { readonly id: string }, [string]>(
      "SELECT id, name, email FROM users WHERE id IN (SELECT value FROM json_each(?))",
    )
    .all(JSON.stringify(ids))
  return new Map(rows.map(({ id, name, email }) => [id, { name, email }]))
}
