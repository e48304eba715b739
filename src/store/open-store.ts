import { threadAddress } from "../runtime.ts"
import { openSqliteStore, type SqliteStore } from "./sqlite/sqlite-store.ts"
import { openThreadedStore } from "./sqlite/threaded-store.ts"
import { STEPS, type Store } from "./store.ts"

/** Who opens the book: a command that is soon over, the only gateway on it, or one of several. */
export type StoreUse = "command" | "alone" | "shared"

/** A disk that takes longer to sync a commit than this gets a thread to wait for it, milliseconds. */
const QUICK_COMMIT = 1

/**
 * Opens the book. Several processes wait for each other's locks, and a slow disk makes everyone wait:
 * both on a thread of the store's own. A lone process on a quick disk writes at once, which costs a
 * third of the messages to a thread and back (docs/decisions, 6).
 * @throws Error when the file cannot be opened.
 */
export async function openStore(path: string, use: StoreUse = "command"): Promise<Store> {
  if (use === "shared") return openThreadedStore(path)
  const store = openSqliteStore(path)
  if (use === "command") return directStore(store)
  if (store.measureCommit() > QUICK_COMMIT) {
    store.close()
    return openThreadedStore(path)
  }
  store.leaveCheckpoints()
  return directStore(store, startCheckpoints(path))
}

/** The steps of a store that answers at once, with its failures as rejections. */
function directStore(store: SqliteStore, checkpoints?: Worker): Store {
  const steps = STEPS.map((step) => {
    const perform = store[step] as (...parameters: readonly unknown[]) => unknown
    return [step, async (...parameters: readonly unknown[]) => perform(...parameters)]
  })
  return {
    ...(Object.fromEntries(steps) as Omit<Store, typeof Symbol.asyncDispose>),
    async [Symbol.asyncDispose]() {
      checkpoints?.terminate()
      store.close()
    },
  }
}

/** Moving the log into the database takes many milliseconds at a time, so another thread does it. */
function startCheckpoints(path: string): Worker {
  const thread = new Worker(threadAddress("store/sqlite/checkpoint-thread.ts"))
  thread.postMessage(path)
  thread.unref()
  return thread
}
