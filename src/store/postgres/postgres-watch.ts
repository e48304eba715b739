import type { LedgerError } from "../ledger-error.ts"
import type { DatabaseWatch } from "../serving-database.ts"
import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"
import { unavailable } from "./explain-failure.ts"

/**
 * Knows from the client whether the database can be reached. A node asks for changes every second, so an outage and its end
 * are noticed without a request. Calls go on meanwhile: what has to be charged waits for the database.
 */
export class PostgresWatch implements DatabaseWatch {
  #fault: LedgerError | undefined

  /** @param onChange gets why the database cannot be used, and undefined when it can again. */
  constructor(
    client: PostgresClient,
    place: string,
    onChange: (fault: LedgerError | undefined) => void,
  ) {
    client.onAvailability = (failure) => {
      this.#fault = failure && unavailable(failure, place)
      onChange(this.#fault)
    }
  }

  get fault(): LedgerError | undefined {
    return this.#fault
  }

  /** The calls themselves are the look. */
  look(): void {}

  over(store: Store): Store {
    return store
  }
}
