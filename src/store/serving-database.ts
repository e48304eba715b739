import type { LedgerError } from "./ledger-error.ts"
import type { ConsoleStore } from "./console-store.ts"
import type { ConversationParts } from "./conversations.ts"
import type { StatementReads } from "./entries.ts"
import type { FailureLog } from "./failure-log.ts"
import type { FileKind, KeptFiles } from "./kept-files.ts"
import type { PayloadLog } from "./payload-log.ts"
import type { Reports } from "./reports.ts"
import type { Store, StoreReader } from "./store.ts"

/** The database of a serving process, with all data that is stored in it. */
export interface ServingDatabase extends AsyncDisposable {
  readonly store: Store
  readonly reports: Reports
  readonly payloads: PayloadLog
  readonly failures: FailureLog
  /** The entries of statements. Reading them delays neither settlements nor lists. */
  readonly statementLines: StatementReads
  readonly conversations: ConversationParts
  /** Returns the files of one kind, which all nodes share. */
  files(kind: FileKind): KeptFiles
  /** Opens the store of the users of the console and their credentials. */
  openConsoleStore(): Promise<ConsoleStore>
  /** Prepares the database for the next days. At least one node must call it a few times a day. */
  prepare(now: number): Promise<void>
  /**
   * Registers a listener.
   * @param onNews called when another node has changed something that this node polls for. It may never be called.
   */
  listen(onNews: () => void): Disposable
  /** Interval in milliseconds at which a node polls for changes. The cost of a poll depends on the engine. */
  readonly pollIntervalMs: number
  /**
   * Lifetime of leases after a node's heartbeat, in milliseconds; null if leases last as long as their process, which a
   * lock of the operating system proves to be alive.
   */
  readonly leaseTerm: number | null
  /**
   * Must be called when other processes start to use the database. Running calls are not affected. Repeated calls do
   * nothing.
   */
  becomeShared(): Promise<void>
  /** Opens the same database for reading all data without blocking others. */
  openReader(): Promise<StoreReader>
  /** Sets the moment, by `performance.now()`, after which no step waits for an unavailable database. */
  endBy(moment: number): void
  /**
   * Starts watching the database.
   * @param onChange called with the fault when the database can no longer be trusted, and with undefined when it can be
   * trusted again.
   */
  watch(onChange: (fault: LedgerError | undefined) => void): DatabaseWatch
}

/** Checks that the database is undamaged, and is still the one that was opened. */
export interface DatabaseWatch {
  /** The reason why the database cannot be trusted; undefined if it can. */
  readonly fault: LedgerError | undefined
  /** Checks the database. It is called many times a second. */
  check(): void
  /**
   * Wraps a store so that the watch detects its failures. While the database cannot be trusted, the methods of the
   * store fail.
   */
  over(store: Store): Store
}
