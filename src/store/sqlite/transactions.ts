import type { Database } from "bun:sqlite"

/** Runs steps in transactions. A nested step is a savepoint. */
export class Transactions {
  // Created only once, because creating it takes as long as a small step.
  readonly #transaction

  constructor(database: Database) {
    this.#transaction = database.transaction((step: () => unknown) => step())
  }

  /** Performs a writing step atomically. */
  atomically<T>(step: () => T): T {
    return this.#transaction.immediate(step) as T
  }

  /** Performs several reads that see the same state, without blocking writers. */
  consistently<T>(step: () => T): T {
    return this.#transaction.deferred(step) as T
  }
}
