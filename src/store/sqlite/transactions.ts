import type { Database } from "bun:sqlite"

/** Runs steps in transactions, which nest: a step within a step is a savepoint. */
export class Transactions {
  // Made once: to make one costs as much as a small step in it.
  readonly #transaction

  constructor(database: Database) {
    this.#transaction = database.transaction((step: () => unknown) => step())
  }

  /** A step that writes: all of it or nothing. */
  atomically<T>(step: () => T): T {
    return this.#transaction.immediate(step) as T
  }

  /** Several reads that see the same state, without keeping writers out. */
  consistently<T>(step: () => T): T {
    return this.#transaction.deferred(step) as T
  }
}
