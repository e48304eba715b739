import { Database } from "bun:sqlite"

const CHECK_INTERVAL_MS = 100
/**
 * Minimum pages of the log for a checkpoint (16 MB). Commits rewrite the same few pages many times, but a checkpoint
 * writes each page only once. A log of this size is restarted often enough not to grow further.
 */
const MIN_LOG_PAGES = 4_000
declare const self: Worker

/**
 * Moves the log into the database while others write.
 * @returns whether the log can be restarted: nearly all of it was moved.
 */
function checkpoint(database: Database): boolean {
  const state = runCheckpoint(database, "NOOP")
  if (state.log - state.checkpointed < MIN_LOG_PAGES) return false
  const { log } = runCheckpoint(database, "PASSIVE")
  return runCheckpoint(database, "PASSIVE").checkpointed >= log
}

/** Sizes of the log in pages. */
interface LogState {
  readonly log: number
  readonly checkpointed: number
}

function runCheckpoint(database: Database, mode: "NOOP" | "PASSIVE"): LogState {
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

/** The message is the path of the database. Each response means that its log can be restarted. */
self.addEventListener("message", (message: MessageEvent<string>) => {
  const database = open(message.data)
  if (database === undefined) return
  setInterval(() => {
    if (checkpoint(database)) self.postMessage(null)
  }, CHECK_INTERVAL_MS)
})
