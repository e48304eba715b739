import { Database } from "bun:sqlite"

/** How often the log is moved into the database, milliseconds. */
const CHECKPOINT_EVERY = 500

declare const self: Worker

self.addEventListener("message", (message: MessageEvent<string>) => {
  const database = new Database(message.data)
  // Passive: it takes what it can without making a writer wait.
  setInterval(() => database.run("PRAGMA wal_checkpoint(PASSIVE)"), CHECKPOINT_EVERY)
})
