import type { LedgerError } from "./ledger-error.ts"
import type { ConsoleStore } from "./console-store.ts"
import type { ConversationParts } from "./conversations.ts"
import type { FailureLog } from "./failure-log.ts"
import type { FileKind, KeptFiles } from "./kept-files.ts"
import type { PayloadLog } from "./payload-log.ts"
import type { Reports } from "./reports.ts"
import type { Store, StoreReader } from "./store.ts"

/** The database of a serving process, and all data stored with it. */
export interface ServingDatabase extends AsyncDisposable {
  readonly store: Store
  readonly reports: Reports
  readonly payloads: PayloadLog
  readonly failures: FailureLog
  readonly conversations: ConversationParts
  /** Returns the files of one kind, which all nodes share. */
  files(kind: FileKind): KeptFiles
  /** Opens the store of the console's users and their credentials. */
  openConsoleStore(): Promise<ConsoleStore>
  /** Prepares the database for the next days. Must be called a few times a day, by any node. */
  prepare(now: number): Promise<void>
  /** @param onNews called when another node has changed something that this node polls for. It may never be called. */
  listen(onNews: () => void): Disposable
  /** Interval between polls of a node for changes, in milliseconds. The cost of a poll depends on the engine. */
  readonly pollIntervalMs: number
  /**
   * Lifetime of leases after a node's heartbeat, in milliseconds; null: as long as its process, which is proved by a
   * lock of the operating system.
   */
  readonly leaseTerm: number | null
  /**
   * Must be called when other processes begin to use the database. Running calls are not affected, and further calls do
   * nothing.
   */
  becomeShared(): Promise<void>
  /** Opens the same database for reading all of it without blocking others. */
  openReader(): Promise<StoreReader>
  /** Sets the moment, by `performance.now()`, after which no step waits for an unavailable database. */
  endBy(moment: number): void
  /**
   * @param onChange called with the fault when the database cannot be trusted, and with undefined when it can be again.
   */
  watch(onChange: (fault: LedgerError | undefined) => void): DatabaseWatch
}

/** Checks that the database is undamaged and still the one that was opened. */
export interface DatabaseWatch {
  /** The reason why the database cannot be trusted; undefined if it can. */
  readonly fault: LedgerError | undefined
  /** Checks the database. Called many times a second. */
  check(): void
  /** Wraps a store so that its failures are seen here. While the database cannot be trusted, its methods fail. */
  over(store: Store): Store
}
