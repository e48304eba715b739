import { statSync } from "node:fs"
import { LedgerError } from "../ledger-error.ts"
import type { Store } from "../store.ts"
import { type GroupsOf, methodNames, methodOf, methodsNamed } from "../methods.ts"

/**
 * Checks that the ledger is still the file that was opened. Processes can continue to write to an open file after it
 * was deleted or replaced, but all of these writes are lost.
 *
 * The watch never opens the file, because closing a file releases all locks of the process on this file.
 */
export class DatabaseWatch {
  readonly #onChange: (fault: LedgerError | undefined) => void
  readonly #files: readonly WatchedFile[]
  #damage: LedgerError | undefined
  #fault: LedgerError | undefined

  /**
   * The watch must be constructed after the ledger was opened.
   * @param onChange called with the fault when the ledger can no longer be trusted, and with undefined when it can be
   * trusted again.
   */
  constructor(path: string, onChange: (fault: LedgerError | undefined) => void) {
    this.#onChange = onChange
    this.#files = [
      { path, name: "file", identity: identityOf(path) },
      { path: `${path}-wal`, name: "log", identity: identityOf(`${path}-wal`) },
      // If the index is missing, the next process that opens the ledger creates a new one, and both processes overwrite
      // each other's log.
      { path: `${path}-shm`, name: "log's index", identity: identityOf(`${path}-shm`) },
    ]
  }

  /** The reason why the ledger cannot be trusted; undefined if it can. */
  get fault(): LedgerError | undefined {
    return this.#fault
  }

  /** Checks the files, with one system call for each. */
  check(): void {
    this.#change(this.#damage ?? this.#lost())
  }

  /**
   * Wraps a store so that the watch detects its failures. While the ledger cannot be trusted, every method fails. This
   * includes heartbeats, which would overwrite the writes of another process.
   */
  over(store: Store): Store {
    const watched = methodsNamed<GroupsOf<Store>>(methodNames(store), (group, name) => {
      const method = methodOf(store, group, name)
      return async (...parameters) => {
        if (this.#fault) throw this.#fault
        try {
          return await method(...parameters)
        } catch (error) {
          this.#noteFailure(error)
          throw error
        }
      }
    })
    return { ...watched, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }

  #noteFailure(error: unknown): void {
    if (!(error instanceof LedgerError) || error.code !== "damaged") return
    // Data that was misread may have caused wrong charges. Only a restart clears the fault, because it checks the
    // ledger.
    this.#damage ??= error
    this.check()
  }

  #lost(): LedgerError | undefined {
    for (const { path, name, identity } of this.#files) {
      if (identity === undefined) continue
      const now = identityOf(path)
      if (now === identity) continue
      const words = now === undefined ? "was deleted" : "was replaced"
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

/** Returns the identity of the file at a path; undefined if the file is missing. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
