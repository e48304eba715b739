import { Database } from "bun:sqlite"

const CHECK_INTERVAL_MS = 100
/**
 * Minimum pages of the log (16 MB) for a checkpoint. Commits rewrite the same few pages many times, and a checkpoint
 * writes each once. A log of this size is restarted often enough not to grow.
 */
const MIN_LOG_PAGES = 4_000
/** Maximum wait for readers when the log restarts. Writers wait as well. */
const MAX_READER_WAIT_MS = 50

declare const self: Worker

/**
 * Moves the log into the database. The first, passive checkpoint moves nearly all of it while others write. Writers
 * wait briefly only for the rest and for the restart of the log. A growing log slows down every commit, because the
 * disk must also store its new length.
 *
 * A long read, such as a backup, prevents the restart. Waiting for it would block writers, so the log grows until the
 * read ends.
 */
function checkpoint(database: Database): void {
  const state = runCheckpoint(database, "NOOP")
  if (state.log - state.checkpointed < MIN_LOG_PAGES) return
  const { log } = runCheckpoint(database, "PASSIVE")
  if (runCheckpoint(database, "PASSIVE").checkpointed >= log) runCheckpoint(database, "RESTART")
}

/** Sizes in pages. */
interface LogState {
  readonly log: number
  readonly checkpointed: number
}

function runCheckpoint(database: Database, mode: "NOOP" | "PASSIVE" | "RESTART"): LogState {
  const [state] = database.query<LogState, []>(`PRAGMA wal_checkpoint(${mode})`).all()
  return state ?? { log: 0, checkpointed: 0 }
}

/** Does not recreate a missing file, so that the database watch can detect that it is missing. */
function open(path: string): Database | undefined {
  try {
    return new Database(path, { readwrite: true, create: false })
  } catch {
    return undefined
  }
}

self.addEventListener("message", (message: MessageEvent<string>) => {
  const database = open(message.data)
  if (database === undefined) return
  database.run(`PRAGMA busy_timeout = ${MAX_READER_WAIT_MS}`)
  setInterval(() => checkpoint(database), CHECK_INTERVAL_MS)
})
