import { closeSync, openSync } from "node:fs"

/**
 * Creates an empty file that only its owner can read, unless the file exists. SQLite treats it as a new database and
 * gives its auxiliary files the same permissions. This is necessary because another user may have created the folder
 * with open permissions.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch {
    // Either the file exists, or SQLite will report why it cannot be created.
  }
}
