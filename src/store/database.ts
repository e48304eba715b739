import type { CopyCheck, CopyCounts, CopySource } from "./copy/copy.ts"
import type { FailedRequest, FailureFilter } from "./failure-log.ts"
import type { InstallationSecrets } from "../secrets/installation-secrets.ts"
import type { ConsoleStore } from "./console-store.ts"
import type { DatabaseStatus } from "./database-status.ts"
import type { ServingDatabase } from "./serving-database.ts"
import type { Store, StoreReader } from "./store.ts"
import type { UserRecord } from "./users.ts"

/** A database of either engine. It is opened on first use and may not exist yet. */
export interface Database {
  /** The location of the database for display, without secrets. */
  readonly place: string
  exists(): Promise<boolean>
  /**
   * Returns the state of the database. Changes nothing, and supports every schema version.
   * @throws LedgerError `not_found`, `damaged`, `unavailable`.
   */
  status(): Promise<DatabaseStatus>
  /**
   * Opens the database for a short command. A missing database is created, and an older one is migrated.
   * @throws LedgerError `missing` if an existing database was lost; `damaged`, `unavailable`, `other_version`.
   */
  openStore(): Promise<Store>
  /**
   * Opens the database for inspection. Nothing is created or changed. The database may be in use, a copy, or on
   * read-only media.
   * @throws LedgerError `not_found`, `damaged`, `unavailable`, `other_version`.
   */
  openReader(): Promise<StoreReader>
  /**
   * Performs a step in which all reads see the same state of the database. The step may take any length of time.
   * Nothing is created or changed, and other users are not blocked.
   * @throws LedgerError as in `openReader`.
   */
  readSnapshot<T>(step: (snapshot: Snapshot) => Promise<T>): Promise<T>
  /** Returns the newest failed requests that match a filter; empty if no failure was ever stored. */
  failedRequests(filter: FailureFilter, limit: number): Promise<FailedRequest[]>
  /**
   * Opens the database for serving.
   * @param isShared whether other processes use it from the start.
   * @throws LedgerError as in `openStore`.
   */
  openToServe(isShared: boolean): Promise<ServingDatabase>
  /** Opens the store of the console's users and their credentials. Missing parts are created. */
  openConsoleStore(): Promise<ConsoleStore>
  /** Whether an operator can sign in to the console. Nothing is created. */
  hasOperator(): Promise<boolean>
  /** Opens the secrets of the installation, which all its processes share. */
  openSecrets(): Promise<InstallationSecrets>
  /** Whether the database has a log that a copy must include. */
  hasLog(): Promise<boolean>
  /**
   * Makes room for a new database after the old one was lost. The remaining files of the old one are renamed.
   * @throws LedgerError `exists` if the database exists.
   */
  setRemainsAside(now: Date): Promise<void>
  /**
   * Performs a step that copies the whole database. During the step, the database is locked against writes.
   * @throws LedgerError `not_found`, `unavailable` if a gateway is running, `other_version`.
   */
  copyFrom<T>(step: (source: CopySource) => Promise<T>): Promise<T>
  /**
   * Fills the database with the contents of another one. Before it has passed the check, it cannot be used.
   * @throws LedgerError `exists` if the database is not empty.
   */
  copyTo(source: CopySource, check: CopyCheck): Promise<CopyCounts>
  /**
   * Copies the files of the database into an empty folder, which becomes a data folder without secrets. Concurrent use
   * is not blocked. Each file is copied at one moment, the ledger first.
   * @throws LedgerError `not_found`, `damaged`, `unavailable`, `other_version` if a newer version wrote the database.
   * Always throws on servers, which have their own backups.
   */
  backUp(folder: string): Promise<void>
  /**
   * Restores the database from a backup. No gateway can start before the step ends. Afterwards, the files that the step
   * has written are moved to their final place, or deleted if the step failed.
   * @throws LedgerError `exists` if a database, or a part of one, already exists.
   */
  restore<T>(step: (folder: string) => Promise<T>): Promise<T>
  /** Creates the database, even if secrets of a lost database still exist. */
  create(): Promise<void>
}

/** The state of a database at one moment. Reads may take any time, and do not see concurrent writes. */
export interface Snapshot {
  readonly store: Omit<StoreReader, symbol>
  readonly users: UserNames
}

/** Reads the names of the users of the console. */
interface UserNames {
  /** Returns the users with the given ids. Unknown ids are omitted. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, UserName>>
}

export type UserName = Pick<UserRecord, "name" | "email">
