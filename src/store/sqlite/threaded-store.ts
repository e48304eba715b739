import type { Store } from "../store.ts"
import { openOnThread } from "../threads/thread-client.ts"

/**
 * The SQLite store on a thread of its own: waiting for the disk never stops the gateway's thread.
 * @throws Error when the file cannot be opened.
 */
export function openThreadedStore(path: string): Promise<Store> {
  return openOnThread<Store>("store/sqlite/thread.ts", path)
}
