import type { Database } from "bun:sqlite"
import { LedgerError } from "../ledger-error.ts"
import type { Journal, JournalAddition, JournalLine, JournalState } from "../journal.ts"
import type { Direct, GroupsOf } from "../methods.ts"
import { inodeOf } from "./database-file.ts"
import { asLedgerError } from "./explain-error.ts"
import { openDatabase } from "./open-database.ts"
import { JOURNAL_SCHEMA } from "./schemas/journal.ts"

/** Maximum time that one process waits for another. */
const BUSY_TIMEOUT_MS = 5_000

interface StateRow {
  readonly waiting: number
  readonly oldest: number | null
  readonly rejected: number
}

/**
 * Opens the journal of a data folder, which all processes of the folder share. When a method that adds lines returns,
 * the lines are on the disk.
 * @throws LedgerError `damaged` or `unavailable`.
 */
export function openSqliteJournal(path: string) {
  const database = opened(path)
  const inode = inodeOf(path)
  const insert = database.prepare<{ number: number }, [string, number, string]>(
    "INSERT INTO lines (node, at, body) VALUES (?, ?, ?) RETURNING number",
  )
  const remove = database.prepare<unknown, [string]>(
    "DELETE FROM lines WHERE number IN (SELECT value FROM json_each(?))",
  )
  const list = database.prepare<JournalLine, [number, number]>(
    "SELECT number, node, body FROM lines WHERE number > ? AND rejection IS NULL ORDER BY number LIMIT ?",
  )
  const state = database.prepare<StateRow, []>(
    `SELECT count(*) FILTER (WHERE rejection IS NULL) AS waiting, min(at) FILTER (WHERE rejection IS NULL) AS oldest,
       count(rejection) AS rejected FROM lines`,
  )
  const add = database.transaction(({ node, bodies, done }: JournalAddition): number => {
    const now = Date.now()
    let first = 0
    for (const body of bodies) {
      const number = insert.get(node, now, body)?.number ?? 0
      if (first === 0) first = number
    }
    if (done.length > 0) remove.run(JSON.stringify(done))
    return first
  })
  const lines: Direct<GroupsOf<Journal>>["lines"] = {
    add(addition) {
      // Lines that are written to a deleted file would be lost when this process ends.
      if (inodeOf(path) !== inode) {
        throw new LedgerError("missing", `the journal ${path} was deleted: start the gateway again`)
      }
      return add.immediate(addition)
    },
    list: (after, limit) => list.all(after, limit),
    reject(number, reason) {
      database.run("UPDATE lines SET rejection = ? WHERE number = ?", [reason, number])
    },
    state: (): JournalState => state.get() ?? { waiting: 0, oldest: null, rejected: 0 },
  }
  return {
    methods: { lines },
    explained: (error: unknown) => asLedgerError(path, error),
    close: () => database.close(),
  }
}

function opened(path: string): Database {
  try {
    return openDatabase(path, {
      schema: JOURNAL_SCHEMA,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
      synchronous: "FULL",
      safeIntegers: false,
    })
  } catch (error) {
    throw asLedgerError(path, error)
  }
}
