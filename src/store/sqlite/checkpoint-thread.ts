import { Database } from "bun:sqlite"

/** How often it looks, milliseconds. */
const LOOK_EVERY = 100
/**
 * A log of so many pages (16 MB) is worth moving: many of them are the same few pages, written again
 * by each commit and moved once. A log this long is written over often enough not to grow.
 */
const WORTH_MOVING = 4_000
/** How long it waits for others when the log is to begin again, and writers with it, milliseconds. */
const PATIENCE = 50

declare const self: Worker

/**
 * Moves the log into the database. The first, passive go takes nearly all of it while others write;
 * only for the rest, and so that the log begins again instead of growing, writers wait a moment. A log
 * that grows makes every commit slower: the disk then has to write down its new length as well.
 *
 * Who reads for long, as a backup does, keeps the log from beginning again. To wait for that would keep writers
 * waiting, so it grows until the reader is done.
 */
function checkpoint(database: Database): void {
  const state = go(database, "NOOP")
  if (state.log - state.checkpointed < WORTH_MOVING) return
  const { log } = go(database, "PASSIVE")
  if (go(database, "PASSIVE").checkpointed >= log) go(database, "RESTART")
}

/** In pages. */
interface LogState {
  readonly log: number
  readonly checkpointed: number
}

function go(database: Database, mode: "NOOP" | "PASSIVE" | "RESTART"): LogState {
  const [state] = database.query<LogState, []>(`PRAGMA wal_checkpoint(${mode})`).all()
  return state ?? { log: 0, checkpointed: 0 }
}

/** A file that is gone by now is not made again: that it is missing is for its watch to find. */
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
  database.run(`PRAGMA busy_timeout = ${PATIENCE}`)
  setInterval(() => checkpoint(database), LOOK_EVERY)
})
