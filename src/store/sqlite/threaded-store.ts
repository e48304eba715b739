import type { Store } from "../store.ts"
import { openOnThread } from "../threads/thread-client.ts"

/**
 * Opens the store on a separate thread, so that waiting for the disk never blocks the gateway's thread.
 * @throws Error if the file cannot be opened.
 */
export function openThreadedStore(path: string): Promise<Store> {
  return openOnThread<Store>("store/sqlite/thread.ts", path)
}
