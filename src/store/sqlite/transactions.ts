import type { Database } from "bun:sqlite"
import type { NewAuditRecord } from "../audit.ts"

/** Runs steps in transactions, which nest: a step within a step is a savepoint. */
export class Transactions {
  // Made once: to make one costs as much as a small step in it.
  readonly #transaction
  readonly #appendAudit: (record: NewAuditRecord) => unknown

  /** @param appendAudit writes a record into the audit log, within the transaction. */
  constructor(database: Database, appendAudit: (record: NewAuditRecord) => unknown) {
    this.#appendAudit = appendAudit
    this.#transaction = database.transaction((step: () => unknown) => step())
  }

  /** A step that writes: all of it or nothing. */
  atomically<T>(step: () => T): T {
    return this.#transaction.immediate(step) as T
  }

  /** A step that changes what people manage, and its record in the audit log: both or neither. */
  audited<T>(record: NewAuditRecord, step: () => T): T {
    return this.atomically(() => {
      const result = step()
      this.#appendAudit(record)
      return result
    })
  }

  /** Several reads that see the same state, without keeping writers out. */
  consistently<T>(step: () => T): T {
    return this.#transaction.deferred(step) as T
  }
}
