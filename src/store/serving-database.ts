import type { LedgerError } from "./ledger-error.ts"
import type { ConversationParts } from "./conversations.ts"
import type { PayloadLog } from "./payload-log.ts"
import type { Reports } from "./reports.ts"
import type { Store, StoreReader } from "./store.ts"

/** The database of a process that serves, and all that is kept with it. */
export interface ServingDatabase extends AsyncDisposable {
  readonly store: Store
  readonly reports: Reports
  readonly payloads: PayloadLog
  readonly conversations: ConversationParts
  /**
   * Others use the same database from now on. What was asked before is answered as it was; to call it again does
   * nothing.
   */
  hasCompany(): Promise<void>
  /** The same database for one that reads through all of it, and keeps no one else waiting. */
  openReader(): Promise<StoreReader>
  /** @param onChange is told why the database cannot be trusted, and when it can again. */
  watch(onChange: (fault: LedgerError | undefined) => void): DatabaseWatch
}

/** Sees whether the database is still the one that was opened, and right. */
export interface DatabaseWatch {
  /** Why the database cannot be trusted; undefined while it can. */
  readonly fault: LedgerError | undefined
  /** Looks; to be called many times a second. */
  look(): void
  /** A store whose failures are seen here, and which does nothing while the database cannot be trusted. */
  over(store: Store): Store
}
