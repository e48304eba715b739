import { Database } from "bun:sqlite"

const CHECK_INTERVAL_MS = 100
/**
 * Minimum pages of the log for a checkpoint (16 MB). Commits rewrite the same few pages many times, but a checkpoint
 * writes each page only once. A log of this size is restarted often enough not to grow further.
 */
const MIN_LOG_PAGES = 4_000
/** Maximum time that the restart of the log waits for readers. Writers also wait during this time. */
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

/** Sizes of the log in pages. */
interface LogState {
  readonly log: number
  readonly checkpointed: number
}

function runCheckpoint(database: Database, mode: "NOOP" | "PASSIVE" | "RESTART"): LogState {
  const [state] = database.query<LogState, []>(`PRAGMA wal_checkpoint(${mode})`).all()
  return state ?? { log: 0, checkpointed: 0 }
}

/** Opens the database. A missing file is not created, so that the database watch can detect that it is missing. */
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
