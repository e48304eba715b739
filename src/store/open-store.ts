import { threadAddress } from "../runtime.ts"
import {
  type GroupsOf,
  type Method,
  methodNames,
  methodOf,
  methodsNamed,
} from "./sqlite/methods.ts"
import { openSqliteReader, openSqliteStore, type SqliteStore } from "./sqlite/sqlite-store.ts"
import { openThreadedStore } from "./sqlite/threaded-store.ts"
import type { Store, StoreReader } from "./store.ts"

/** A disk that takes longer to sync a commit than this gets a thread to wait for it, milliseconds. */
const QUICK_COMMIT = 1

/**
 * Opens the ledger for a command that is soon over.
 * @throws Error when the file cannot be opened.
 */
export async function openStore(path: string): Promise<Store> {
  const file = new DirectFile(openSqliteStore(path))
  return { ...file.methods(), [Symbol.asyncDispose]: async () => file.close() }
}

/**
 * Opens the ledger to look at it: nothing is made or changed. It may be in use, a copy, or on read-only media.
 * @throws BookError `not_found` where there is none, `damaged`, `unavailable`, `other_version`.
 */
export function openBookReader(path: string): StoreReader {
  const file = new DirectFile(openSqliteReader(path))
  return { ...file.methods(), [Symbol.asyncDispose]: async () => file.close() }
}

/** The ledger of a process that serves. */
export interface ServingStore extends Store {
  /**
   * Others use the same ledger from now on: their locks are waited for on a thread. What was asked before is
   * answered as it was; to call it again does nothing.
   */
  hasCompany(): Promise<void>
}

/**
 * Opens the ledger to serve from. Several processes wait for each other's locks, and a slow disk makes everyone
 * wait: both on a thread of the store's own. A lone process on a quick disk writes at once, which costs a
 * third of the messages to a thread and back (docs/decisions, 6), until there is company.
 * @param isShared whether there is some from the start.
 * @throws Error when the file cannot be opened.
 */
export async function openServingStore(path: string, isShared: boolean): Promise<ServingStore> {
  if (isShared) return alwaysThreaded(await openThreadedStore(path))
  const store = openSqliteStore(path)
  if (store.measureCommit() > QUICK_COMMIT) {
    store.close()
    return alwaysThreaded(await openThreadedStore(path))
  }
  store.leaveCheckpoints()
  const file = new DirectFile(store, startCheckpoints(path))
  let company: Promise<void> | undefined
  return {
    ...file.methods(),
    hasCompany: () => (company ??= file.moveTo(() => openThreadedStore(path))),
    async [Symbol.asyncDispose]() {
      await company
      await file.close()
    },
  }
}

function alwaysThreaded(store: Store): ServingStore {
  return { ...store, hasCompany: async () => {} }
}

/** A file whose methods answer at once, with their failures as rejections. */
class DirectFile {
  readonly #direct: SqliteStore
  readonly #checkpoints: Worker | undefined
  /** Where its methods have moved to. */
  #moved: Store | undefined

  constructor(direct: SqliteStore, checkpoints?: Worker) {
    this.#direct = direct
    this.#checkpoints = checkpoints
  }

  methods(): GroupsOf<Store> {
    const { methods } = this.#direct
    return methodsNamed<GroupsOf<Store>>(methodNames(methods), (group, name) => {
      const method = methodOf(methods, group, name)
      return async (...parameters) =>
        this.#moved === undefined
          ? this.#perform(method, parameters)
          : methodOf(this.#moved, group, name)(...parameters)
    })
  }

  #perform(method: Method, parameters: readonly unknown[]): unknown {
    try {
      return method(...parameters)
    } catch (error) {
      throw this.#direct.explained(error)
    }
  }

  /** A direct method is over when it has returned, so between two of them there is nothing to wait for. */
  async moveTo(open: () => Promise<Store>): Promise<void> {
    this.#moved = await open()
    this.#end()
  }

  async close(): Promise<void> {
    if (this.#moved === undefined) this.#end()
    else await this.#moved[Symbol.asyncDispose]()
  }

  #end(): void {
    this.#checkpoints?.terminate()
    this.#direct.close()
  }
}

/** Moving the log into the database takes many milliseconds at a time, so another thread does it. */
function startCheckpoints(path: string): Worker {
  const thread = new Worker(threadAddress("store/sqlite/checkpoint-thread.ts"))
  thread.postMessage(path)
  thread.unref()
  return thread
}
