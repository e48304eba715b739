import { statSync } from "node:fs"
import { LedgerError } from "../ledger-error.ts"
import type { Store } from "../store.ts"
import { type GroupsOf, methodNames, methodOf, methodsNamed } from "../methods.ts"

/**
 * Checks whether the ledger is still the one that was opened. Processes that have a file open can go on writing it
 * after it was deleted or replaced, and all of that is lost.
 *
 * It never opens the file: closing a file drops all locks that its process has on it.
 */
export class DatabaseWatch {
  readonly #onChange: (fault: LedgerError | undefined) => void
  readonly #files: readonly WatchedFile[]
  #damage: LedgerError | undefined
  #fault: LedgerError | undefined

  /**
   * To be constructed when the ledger is open.
   * @param onChange gets why the ledger cannot be trusted, and undefined when it can again.
   */
  constructor(path: string, onChange: (fault: LedgerError | undefined) => void) {
    this.#onChange = onChange
    this.#files = [
      { path, name: "file", identity: identityOf(path) },
      { path: `${path}-wal`, name: "log", identity: identityOf(`${path}-wal`) },
      // Without it, the next process that opens the ledger makes another, and the two write over each other's log.
      { path: `${path}-shm`, name: "log's index", identity: identityOf(`${path}-shm`) },
    ]
  }

  /** Why the ledger cannot be trusted; undefined while it can. */
  get fault(): LedgerError | undefined {
    return this.#fault
  }

  /** Checks its files: two system calls. */
  look(): void {
    this.#change(this.#damage ?? this.#lost())
  }

  /**
   * A store whose failures are seen here, and which does nothing while the ledger cannot be trusted: not a beat either,
   * which would be written over what another process has written since.
   */
  over(store: Store): Store {
    const watched = methodsNamed<GroupsOf<Store>>(methodNames(store), (group, name) => {
      const method = methodOf(store, group, name)
      return async (...parameters) => {
        if (this.#fault) throw this.#fault
        try {
          return await method(...parameters)
        } catch (error) {
          this.#saw(error)
          throw error
        }
      }
    })
    return { ...watched, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }

  #saw(error: unknown): void {
    if (!(error instanceof LedgerError) || error.code !== "damaged") return
    // What was misread once may have been mischarged: only a restart checks it again.
    this.#damage ??= error
    this.look()
  }

  #lost(): LedgerError | undefined {
    for (const { path, name, identity } of this.#files) {
      if (identity === undefined) continue
      const now = identityOf(path)
      if (now === identity) continue
      const words = now === undefined ? "is gone" : "is not the one that was opened"
      return new LedgerError("unavailable", `the ${name} of the ledger, ${path}, ${words}`)
    }
    return undefined
  }

  #change(fault: LedgerError | undefined): void {
    if (fault?.message === this.#fault?.message) return
    this.#fault = fault
    this.#onChange(fault)
  }
}

interface WatchedFile {
  readonly path: string
  readonly name: string
  readonly identity: string | undefined
}

/** Which file a path leads to; undefined when there is none. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
