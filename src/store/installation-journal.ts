import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Journal, JournalState } from "./journal.ts"
import { openSqliteJournal } from "./sqlite/journal-file.ts"
import { openOnThread } from "./threads/thread-client.ts"

/**
 * Opens the journal of a data folder for writing. It runs on a separate thread, so that waiting for the disk blocks no
 * request.
 */
export function openJournal(folder: string): Promise<Journal> {
  return openOnThread<Journal>("store/sqlite/journal-thread.ts", journalFileIn(folder))
}

/** Returns the state of a data folder's journal; null if there is no journal. */
export function journalState(folder: string): JournalState | null {
  const path = journalFileIn(folder)
  if (!existsSync(path)) return null
  const { methods, close } = openSqliteJournal(path)
  try {
    return methods.lines.state()
  } finally {
    close()
  }
}

function journalFileIn(folder: string): string {
  return join(folder, "journal.db")
}
