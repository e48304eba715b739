import { closeSync, openSync } from "node:fs"

/**
 * Creates an empty file that only its owner can read, unless it exists. SQLite treats it as a new database and gives
 * its auxiliary files the same permissions. The folder may have been created by another user, with open permissions.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch {
    // The file exists, or SQLite will report why it cannot be created.
  }
}
