import { hasConsoleStore, openConsoleStore } from "../store/console-store.ts"
import { SetupToken } from "./setup-token.ts"

/**
 * The console's address; without an operator, the one-time link that creates the first.
 * @param url the gateway's own.
 */
export async function consoleAddress(dataDirectory: string, url: string): Promise<string> {
  const token = new SetupToken(dataDirectory)
  if (!(await hasOperator(dataDirectory))) {
    return `${url}/console/setup?token=${token.readOrCreate()}`
  }
  token.remove()
  return `${url}/console/`
}

/** Does not create the file. */
async function hasOperator(dataDirectory: string): Promise<boolean> {
  if (!hasConsoleStore(dataDirectory)) return false
  using store = openConsoleStore(dataDirectory)
  return await store.users.hasOperator()
}
