import { threadAddress } from "../../runtime.ts"
import { LedgerError } from "../ledger-error.ts"
import type { Store } from "../store.ts"
import { DirectFile } from "./direct-file.ts"
import { openSqliteStore, type SqliteStore } from "./sqlite-store.ts"
import { openOnThread } from "../threads/thread-client.ts"

/** Maximum time of a fast commit. If the disk takes longer, commits are moved to a thread. */
const FAST_COMMIT_MS = 1
/** Delay after which the checkpoint thread is started. */
const FIRST_CHECKPOINT_MS = 1_000

/** The ledger of a serving process. */
export interface ServingStore extends Store {
  /**
   * Moves the store to a thread, because other processes now use the same ledger and their locks would block this one.
   * Running calls are not affected. Repeated calls do nothing.
   */
  becomeShared(): Promise<void>
}

/**
 * Opens the ledger for serving. The store runs on a separate thread if several processes wait for each other's locks,
 * or if a slow disk delays every commit. A single process on a fast disk writes directly until other processes join. A
 * direct write takes a third of the time of passing messages to a thread and back (docs/contribute/decisions, 6).
 * @param isShared whether other processes use the ledger from the start.
 * @throws LedgerError if the file cannot be opened.
 */
export async function openServingStore(path: string, isShared: boolean): Promise<ServingStore> {
  if (isShared) return alwaysThreaded(await openThreadedStore(path))
  const store = openSqliteStore(path)
  if (commitTime(store) > FAST_COMMIT_MS) {
    store.close()
    return alwaysThreaded(await openThreadedStore(path))
  }
  store.leaveCheckpoints()
  const file = new DirectFile(
    store,
    startCheckpoints(path, () => store.restartLog()),
  )
  const methods = file.store()
  let moving: Promise<void> | undefined
  return {
    ...methods,
    becomeShared: () => (moving ??= moveToThread(file, path)),
    async [Symbol.asyncDispose]() {
      // The caller of `becomeShared` has already received the error.
      await moving?.catch(() => undefined)
      await methods[Symbol.asyncDispose]()
    },
  }
}

/**
 * Returns the time that a commit takes in milliseconds. This is the first write to the file.
 * @throws LedgerError `unavailable` if the file can be opened but not written.
 */
function commitTime(store: SqliteStore): number {
  try {
    return store.measureCommit()
  } catch (error) {
    store.close()
    throw store.explained(error)
  }
}

/**
 * Moves the store to a thread if possible. A newer version that is about to replace this process may have migrated the
 * file, so that it cannot be opened again. The open file can be used until this process ends.
 */
async function moveToThread(file: DirectFile, path: string): Promise<void> {
  try {
    await file.moveTo(() => openThreadedStore(path))
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== "other_version") throw error
  }
}

function alwaysThreaded(store: Store): ServingStore {
  return { ...store, becomeShared: async () => {} }
}

/**
 * Starts a thread for checkpoints, which take many milliseconds each. It starts after a delay, so that it does not
 * slow down the first requests.
 * @param restartLog called when the log can be restarted, until the result is disposed of.
 */
function startCheckpoints(path: string, restartLog: () => void): Disposable {
  let thread: Worker | undefined
  const timer = setTimeout(() => {
    thread = new Worker(threadAddress("store/sqlite/checkpoint-thread.ts"))
    thread.addEventListener("message", () => {
      if (thread !== undefined) restartLog()
    })
    thread.postMessage(path)
    thread.unref()
  }, FIRST_CHECKPOINT_MS)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      thread?.terminate()
      thread = undefined
    },
  }
}

/**
 * Opens the store on a separate thread, so that waiting for the disk never blocks the gateway's thread.
 * @throws Error if the file cannot be opened.
 */
export function openThreadedStore(path: string): Promise<Store> {
  return openOnThread<Store>("store/sqlite/thread.ts", path)
}
