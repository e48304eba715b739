import { threadAddress } from "../../runtime.ts"
import { LedgerError } from "../ledger-error.ts"
import type { Store } from "../store.ts"
import { DirectFile } from "./direct-file.ts"
import { openSqliteStore, type SqliteStore } from "./sqlite-store.ts"
import { openThreadedStore } from "./threaded-store.ts"

/** A disk that takes longer to sync a commit than this gets a thread to wait for it, milliseconds. */
const QUICK_COMMIT = 1
/** When the thread that makes checkpoints is started, milliseconds. */
const FIRST_CHECKPOINT = 1_000

/** The ledger of a process that serves. */
export interface ServingStore extends Store {
  /**
   * Others use the same ledger from now on: their locks are waited for on a thread. Running calls are not
   * affected; to call it again does nothing.
   */
  hasCompany(): Promise<void>
}

/**
 * Opens the ledger to serve from. Several processes wait for each other's locks, and a slow disk makes everyone
 * wait: both on a thread of the store's own. A lone process on a quick disk writes directly, which costs a
 * third of the messages to a thread and back (docs/decisions, 6), until there is company.
 * @param isShared whether there is some from the start.
 * @throws LedgerError when the file cannot be opened.
 */
export async function openServingStore(path: string, isShared: boolean): Promise<ServingStore> {
  if (isShared) return alwaysThreaded(await openThreadedStore(path))
  const store = openSqliteStore(path)
  if (commitTime(store) > QUICK_COMMIT) {
    store.close()
    return alwaysThreaded(await openThreadedStore(path))
  }
  store.leaveCheckpoints()
  const file = new DirectFile(store, startCheckpoints(path))
  const methods = file.store()
  let company: Promise<void> | undefined
  return {
    ...methods,
    hasCompany: () => (company ??= moveToThread(file, path)),
    async [Symbol.asyncDispose]() {
      // Who asked for it has heard why it could not be done.
      await company?.catch(() => undefined)
      await methods[Symbol.asyncDispose]()
    },
  }
}

/**
 * Returns how long a commit takes, in milliseconds. It is the first write to the file.
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
 * A newer version that comes to replace this process has brought the file to its own schema, and then it cannot be
 * opened again: what is open works until the process has ended.
 */
async function moveToThread(file: DirectFile, path: string): Promise<void> {
  try {
    await file.moveTo(() => openThreadedStore(path))
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== "other_version") throw error
  }
}

function alwaysThreaded(store: Store): ServingStore {
  return { ...store, hasCompany: async () => {} }
}

/**
 * Moving the log into the database takes many milliseconds at a time, so another thread does it. The thread is started
 * when the first requests are served: until then it would only be in their way.
 */
function startCheckpoints(path: string): Disposable {
  let thread: Worker | undefined
  const timer = setTimeout(() => {
    thread = new Worker(threadAddress("store/sqlite/checkpoint-thread.ts"))
    thread.postMessage(path)
    thread.unref()
  }, FIRST_CHECKPOINT)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      thread?.terminate()
    },
  }
}
