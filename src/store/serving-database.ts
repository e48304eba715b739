import type { LedgerError } from "./ledger-error.ts"
import type { ConsoleStore } from "./console-store.ts"
import type { ConversationParts } from "./conversations.ts"
import type { FailureLog } from "./failure-log.ts"
import type { FileKind, KeptFiles } from "./kept-files.ts"
import type { PayloadLog } from "./payload-log.ts"
import type { Reports } from "./reports.ts"
import type { Store, StoreReader } from "./store.ts"

/** The database of a process that serves, and all that is stored with it. */
export interface ServingDatabase extends AsyncDisposable {
  readonly store: Store
  readonly reports: Reports
  readonly payloads: PayloadLog
  readonly failures: FailureLog
  readonly conversations: ConversationParts
  /** Files of one kind, which all nodes find. */
  files(kind: FileKind): KeptFiles
  /** The users of the console and their credentials. */
  openConsoleStore(): Promise<ConsoleStore>
  /** Prepares what will be needed within the next days. To be called a few times a day, by any node. */
  prepare(now: number): Promise<void>
  /**
   * @param onNews is called when another node has changed something that this one would see with its next look. It may
   * never be.
   */
  listen(onNews: () => void): Disposable
  /** How often a node asks what has changed, milliseconds: what it costs depends on the engine. */
  readonly pollEvery: number
  /**
   * How long leases last after a node has beaten, milliseconds; null: as long as its process, which a lock of the operating
   * system shows.
   */
  readonly leaseTerm: number | null
  /**
   * Others use the same database from now on. Running calls are not affected; to call it again does nothing.
   */
  hasCompany(): Promise<void>
  /** The same database, to read through all of it without making anyone else wait. */
  openReader(): Promise<StoreReader>
  /** From a moment on, by `performance.now()`, no step waits for a database that is away. */
  endBy(moment: number): void
  /** @param onChange gets why the database cannot be trusted, and undefined when it can again. */
  watch(onChange: (fault: LedgerError | undefined) => void): DatabaseWatch
}

/** Checks that the database is still the one that was opened, and undamaged. */
export interface DatabaseWatch {
  /** Why the database cannot be trusted; undefined while it can. */
  readonly fault: LedgerError | undefined
  /** Checks; to be called many times a second. */
  look(): void
  /** A store whose failures are seen here, and which does nothing while the database cannot be trusted. */
  over(store: Store): Store
}
