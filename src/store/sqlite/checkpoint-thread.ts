import { Database } from "bun:sqlite"

/** How often it looks, milliseconds. */
const LOOK_EVERY = 100
/**
 * A log of so many pages (16 MB) is worth moving: many of them are the same few pages, written again
 * by each commit and moved once. A log this long is written over often enough not to grow.
 */
const WORTH_MOVING = 4_000

declare const self: Worker

/**
 * Moves the log into the database. The first, passive go takes nearly all of it while others write;
 * only for the rest, and so that the log begins again instead of growing, writers wait a moment. A log
 * that grows makes every commit slower: the disk then has to write down its new length as well.
 */
function checkpoint(database: Database): void {
  const [state] = database
    .query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)")
    .all()
  if (state === undefined || state.log - state.checkpointed < WORTH_MOVING) return
  database.run("PRAGMA wal_checkpoint(PASSIVE)")
  database.run("PRAGMA wal_checkpoint(RESTART)")
}

self.addEventListener("message", (message: MessageEvent<string>) => {
  const database = new Database(message.data)
  database.run("PRAGMA busy_timeout = 1000")
  setInterval(() => checkpoint(database), LOOK_EVERY)
})
