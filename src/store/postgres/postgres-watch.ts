import { LedgerError } from "../ledger-error.ts"
import { methodNames, methodOf, methodsNamed, type GroupsOf } from "../methods.ts"
import type { DatabaseWatch } from "../serving-database.ts"
import type { Store } from "../store.ts"

/**
 * Sees from the store's own calls whether the database can be reached. A node asks for changes every second, so an outage
 * and its end are noticed without a request. Calls go on meanwhile: what has to be charged waits for the database.
 */
export class PostgresWatch implements DatabaseWatch {
  readonly #onChange: (fault: LedgerError | undefined) => void
  #fault: LedgerError | undefined

  /** @param onChange gets why the database cannot be used, and undefined when it can again. */
  constructor(onChange: (fault: LedgerError | undefined) => void) {
    this.#onChange = onChange
  }

  get fault(): LedgerError | undefined {
    return this.#fault
  }

  /** The calls themselves are the look. */
  look(): void {}

  over(store: Store): Store {
    const watched = methodsNamed<GroupsOf<Store>>(methodNames(store), (group, name) => {
      const method = methodOf(store, group, name)
      return async (...parameters) => {
        try {
          const result = await method(...parameters)
          this.#change(undefined)
          return result
        } catch (error) {
          const isAway = error instanceof LedgerError && error.code === "unavailable"
          this.#change(isAway ? error : undefined)
          throw error
        }
      }
    })
    return { ...watched, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }

  #change(fault: LedgerError | undefined): void {
    if ((fault === undefined) === (this.#fault === undefined)) return
    this.#fault = fault
    this.#onChange(fault)
  }
}
