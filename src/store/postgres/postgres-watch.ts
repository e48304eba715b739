import type { LedgerError } from "../ledger-error.ts"
import type { DatabaseWatch } from "../serving-database.ts"
import type { Store } from "../store.ts"
import type { PostgresClient } from "./client.ts"
import { unavailable } from "./explain-failure.ts"

/**
 * Reports whether the database is available, as detected by the client. A node polls every second, so that an outage
 * and its end are detected even without requests. Running calls continue, and their charges wait for the database.
 */
export class PostgresWatch implements DatabaseWatch {
  #fault: LedgerError | undefined

  /**
   * @param onChange called with the fault when the database becomes unavailable, and with undefined when it is
   * available again.
   */
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

  /** Nothing to do, because polls detect outages. */
  check(): void {}

  over(store: Store): Store {
    return store
  }
}
