import { existsSync } from "node:fs"
import { consoleDatabasePath, openConsoleDatabase } from "../store/console-database.ts"
import { SetupToken } from "./setup-token.ts"
import { UserTable } from "./user-table.ts"

/** Whether someone can sign in who may do everything. Needs no better-auth, and makes no file. */
export function hasOperator(dataDirectory: string): boolean {
  if (!existsSync(consoleDatabasePath(dataDirectory))) return false
  const database = openConsoleDatabase(dataDirectory)
  try {
    return new UserTable(database).hasOperator()
  } finally {
    database.close()
  }
}

/**
 * The console's address; while there is no operator, the one-time link that makes the first.
 * @param url the gateway's own.
 */
export function consoleAddress(dataDirectory: string, url: string): string {
  const token = new SetupToken(dataDirectory)
  if (!hasOperator(dataDirectory)) return `${url}/console/setup?token=${token.readOrCreate()}`
  token.remove()
  return `${url}/console/`
}
