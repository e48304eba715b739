import { closeSync, openSync } from "node:fs"

/**
 * Creates an empty file that only its owner can read, where there is none: SQLite takes it for a new database,
 * and gives its own helping files the same rights. The folder may have been made by someone else, and open.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch {
    // It exists, or SQLite reports better why it cannot be created.
  }
}
