import type { CopyCheck, CopyCounts, CopySource } from "./copy/copy.ts"
import type { FailedRequest, FailureFilter } from "./failure-log.ts"
import type { InstallationSecrets } from "../secrets/installation-secrets.ts"
import type { ConsoleStore } from "./console-store.ts"
import type { DatabaseStatus } from "./database-status.ts"
import type { ServingDatabase } from "./serving-database.ts"
import type { Snapshot } from "./snapshot.ts"
import type { Store, StoreReader } from "./store.ts"

/** One database of one engine, which need not exist yet. Nothing is opened before it is asked for. */
export interface Database {
  /** Where it is, for people: holds no secret. */
  readonly place: string
  exists(): Promise<boolean>
  /**
   * How it is doing. Changes nothing, whatever version it is of.
   * @throws LedgerError `not_found`, `damaged`, `unavailable`.
   */
  status(): Promise<DatabaseStatus>
  /**
   * Opens it for a command that is soon over. It is created where there is none, and brought up to date.
   * @throws LedgerError `missing` when there was one, and it is gone; `damaged`, `unavailable`, `other_version`.
   */
  openStore(): Promise<Store>
  /**
   * Opens it to inspect it: nothing is created or changed. It may be in use, a copy, or on read-only media.
   * @throws LedgerError `not_found` where there is none, `damaged`, `unavailable`, `other_version`.
   */
  openReader(): Promise<StoreReader>
  /**
   * Lets a step read it as it is at one moment, for as long as that takes. Nothing is created or changed, and those who
   * use it go on.
   * @throws LedgerError as `openReader` does.
   */
  readSnapshot<T>(step: (snapshot: Snapshot) => Promise<T>): Promise<T>
  /** Returns the newest failed requests that match a filter; empty if no failure was ever stored. */
  failedRequests(filter: FailureFilter, limit: number): Promise<FailedRequest[]>
  /**
   * Opens it to serve from.
   * @param isShared whether other processes use it from the start.
   * @throws LedgerError as `openStore` does.
   */
  openToServe(isShared: boolean): Promise<ServingDatabase>
  /** Opens the users of the console and their credentials; creates what it needs. */
  openConsoleStore(): Promise<ConsoleStore>
  /** Whether someone can manage the gateway in the console. Creates nothing. */
  hasOperator(): Promise<boolean>
  /** The secrets of the installation, which all its processes share. */
  openSecrets(): Promise<InstallationSecrets>
  /** Whether it has a log that a copy of it needs as well. */
  hasLog(): Promise<boolean>
  /**
   * Makes room for a new database where the old one is gone; what is left of the old one is renamed.
   * @throws LedgerError `exists` when there is one.
   */
  setRemainsAside(now: Date): Promise<void>
  /**
   * Lets a step copy all of it. Nobody writes to it meanwhile.
   * @throws LedgerError `not_found`, `unavailable` where a gateway runs, `other_version`.
   */
  copyFrom<T>(step: (source: CopySource) => Promise<T>): Promise<T>
  /**
   * Fills it from another one. It cannot be used before it has passed the check.
   * @throws LedgerError `exists` where there is anything.
   */
  copyTo(source: CopySource, check: CopyCheck): Promise<CopyCounts>
  /**
   * Writes a copy of its files into an empty folder, which is a data folder then, without its secrets. Those who use it
   * go on: of each file the copy is one moment, the ledger's is the first.
   * @throws LedgerError `not_found`, `damaged`, `unavailable`, `other_version` of a newer one; where a server has its
   * own backups.
   */
  backUp(folder: string): Promise<void>
  /**
   * Fills the place of a database from a backup. Nothing starts there before the step is over; what the step has put
   * into its folder is in its place then, or gone where it failed.
   * @throws LedgerError `exists` where there is anything.
   */
  restore<T>(step: (folder: string) => Promise<T>): Promise<T>
  /** Creates it, even where the secrets of a lost one are still there. */
  create(): Promise<void>
}
