import type { CopyCheck, CopyCounts, CopySource } from "./copy/copy.ts"
import type { FailedRequest, FailureFilter } from "./failure-log.ts"
import type { InstallationSecrets } from "../secrets/installation-secrets.ts"
import type { ConsoleStore } from "./console-store.ts"
import type { DatabaseStatus } from "./database-status.ts"
import type { ServingDatabase } from "./serving-database.ts"
import type { Snapshot } from "./snapshot.ts"
import type { Store, StoreReader } from "./store.ts"

/** A database of one engine, which need not exist yet. It is opened on first use. */
export interface Database {
  /** Its location, for display. Contains no secret. */
  readonly place: string
  exists(): Promise<boolean>
  /**
   * Returns its state. Changes nothing, and supports every version.
   * @throws LedgerError `not_found`, `damaged`, `unavailable`.
   */
  status(): Promise<DatabaseStatus>
  /**
   * Opens the database for a short command. It is created if missing, and migrated.
   * @throws LedgerError `missing` if an existing database was lost; `damaged`, `unavailable`, `other_version`.
   */
  openStore(): Promise<Store>
  /**
   * Opens the database for inspection without creating or changing anything. It may be in use, a copy, or on read-only
   * media.
   * @throws LedgerError `not_found`, `damaged`, `unavailable`, `other_version`.
   */
  openReader(): Promise<StoreReader>
  /**
   * Performs a step that reads one state of the database, for any length of time. Nothing is created or changed, and
   * other users are not blocked.
   * @throws LedgerError as `openReader` does.
   */
  readSnapshot<T>(step: (snapshot: Snapshot) => Promise<T>): Promise<T>
  /** Returns the newest failed requests that match a filter; empty if no failure was ever stored. */
  failedRequests(filter: FailureFilter, limit: number): Promise<FailedRequest[]>
  /**
   * Opens the database for serving.
   * @param isShared whether other processes use it from the start.
   * @throws LedgerError as `openStore` does.
   */
  openToServe(isShared: boolean): Promise<ServingDatabase>
  /** Opens the store of the console's users and their credentials; creates missing parts. */
  openConsoleStore(): Promise<ConsoleStore>
  /** Returns whether an operator can sign in to the console. Creates nothing. */
  hasOperator(): Promise<boolean>
  /** Opens the secrets of the installation, which all its processes share. */
  openSecrets(): Promise<InstallationSecrets>
  /** Returns whether it has a log that a copy must include. */
  hasLog(): Promise<boolean>
  /**
   * Makes room for a new database after the old one was lost, by renaming its remains.
   * @throws LedgerError `exists` if there is a database.
   */
  setRemainsAside(now: Date): Promise<void>
  /**
   * Performs a step that copies the whole database, which is locked against writes.
   * @throws LedgerError `not_found`, `unavailable` if a gateway is running, `other_version`.
   */
  copyFrom<T>(step: (source: CopySource) => Promise<T>): Promise<T>
  /**
   * Fills the database from another one. It cannot be used before it has passed the check.
   * @throws LedgerError `exists` if it is not empty.
   */
  copyTo(source: CopySource, check: CopyCheck): Promise<CopyCounts>
  /**
   * Writes a copy of its files into an empty folder, which becomes a data folder without secrets. Concurrent use is not
   * blocked. Each file is copied at one moment, the ledger first.
   * @throws LedgerError `not_found`, `damaged`, `unavailable`, `other_version` if a newer version wrote it; always on
   * servers, which have their own backups.
   */
  backUp(folder: string): Promise<void>
  /**
   * Restores a database from a backup. No gateway starts in its place before the step ends. The files that the step has
   * written are then moved into place, or deleted if it failed.
   * @throws LedgerError `exists` if the place is not empty.
   */
  restore<T>(step: (folder: string) => Promise<T>): Promise<T>
  /** Creates the database, even if the secrets of a lost one still exist. */
  create(): Promise<void>
}
