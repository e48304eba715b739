import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { SecretFolder } from "../../secrets/secret-folder.ts"
import type { ConsoleStore } from "../console-store.ts"
import type { CopyCheck, CopyCounts, CopySource } from "../copy/copy.ts"
import type { Database } from "../database.ts"
import type { DatabaseStatus } from "../database-status.ts"
import type { ServingDatabase } from "../serving-database.ts"
import type { Snapshot } from "../database.ts"
import type { Store, StoreReader } from "../store.ts"
import { backUpSqlite, restoreSqlite } from "./backup.ts"
import { ConversationsOnDemand } from "./conversations-on-demand.ts"
import { copyFromSqlite } from "./copy-source.ts"
import { copyToSqlite } from "./copy-target.ts"
import { databaseStatus } from "./database-status.ts"
import { hasLog, prepareDirectory, setLogAside } from "./database-file.ts"
import { DatabaseWatch } from "./database-watch.ts"
import { DirectFile } from "./direct-file.ts"
import { failuresFile, failuresPath } from "./log-file.ts"
import type { FailedRequest, FailureFilter } from "../failure-log.ts"
import { sqliteLogs } from "./log-files.ts"
import { ReportsOnDemand } from "./reports-on-demand.ts"
import { FolderFiles } from "./folder-files.ts"
import { openServingStore } from "./serving-store.ts"
import { hasConsoleFile, openConsoleFile } from "./console-file.ts"
import { readSqliteSnapshot } from "./snapshot.ts"
import { openSqliteReader, openSqliteStore } from "./sqlite-store.ts"
import { openThreadedStore } from "./serving-store.ts"

/** Interval of polls, which is short because a poll only reads a few rows of a cached file. */
const POLL_INTERVAL_MS = 100

/** A SQLite file, with files next to it for data outside of the ledger. */
export class SqliteDatabase implements Database {
  readonly place: string

  /** @param path the path of the file. */
  constructor(path: string) {
    this.place = path
  }

  async exists(): Promise<boolean> {
    return existsSync(this.place)
  }

  async status(): Promise<DatabaseStatus> {
    return databaseStatus(this.place)
  }

  async openConsoleStore(): Promise<ConsoleStore> {
    return openConsoleFile(dirname(this.place))
  }

  async hasOperator(): Promise<boolean> {
    const directory = dirname(this.place)
    if (!hasConsoleFile(directory)) return false
    using store = openConsoleFile(directory)
    return await store.users.hasOperator()
  }

  async openSecrets(): Promise<SecretFolder> {
    return new SecretFolder(dirname(this.place))
  }

  async hasLog(): Promise<boolean> {
    return hasLog(this.place)
  }

  async setRemainsAside(now: Date): Promise<void> {
    setLogAside(this.place, now)
  }

  copyFrom<T>(step: (source: CopySource) => Promise<T>): Promise<T> {
    return copyFromSqlite(this.place, step)
  }

  copyTo(source: CopySource, check: CopyCheck): Promise<CopyCounts> {
    return copyToSqlite(this.place, source, check)
  }

  async backUp(folder: string): Promise<void> {
    backUpSqlite(this.place, folder)
  }

  restore<T>(step: (folder: string) => Promise<T>): Promise<T> {
    return restoreSqlite(this.place, step)
  }

  async create(): Promise<void> {
    openSqliteStore(this.place).close()
  }

  async openStore(): Promise<Store> {
    prepareDirectory(this.place)
    return new DirectFile(openSqliteStore(this.place)).store()
  }

  async openReader(): Promise<StoreReader> {
    return new DirectFile(openSqliteReader(this.place)).store()
  }

  readSnapshot<T>(step: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return readSqliteSnapshot(this.place, step)
  }

  async failedRequests(filter: FailureFilter, limit: number): Promise<FailedRequest[]> {
    if (!existsSync(failuresPath(this.place))) return []
    using file = failuresFile(this.place)
    return file.methods.list(filter, null, limit)
  }

  async openToServe(isShared: boolean): Promise<ServingDatabase> {
    const path = this.place
    prepareDirectory(path)
    await using opening = new AsyncDisposableStack()
    const store = opening.use(await openServingStore(path, isShared))
    const reports = opening.use(new ReportsOnDemand(path))
    const conversations = opening.use(new ConversationsOnDemand(path))
    const opened = opening.move()
    return {
      store,
      reports,
      ...sqliteLogs(path, reports),
      statementLines: reports.statementLines,
      conversations,
      files: (kind) => new FolderFiles(path, kind),
      // Nothing to do, because SQLite needs no preparation.
      prepare: async () => {},
      // Nothing to do, because polls are frequent enough without announcements.
      listen: () => ({ [Symbol.dispose]() {} }),
      pollIntervalMs: POLL_INTERVAL_MS,
      leaseTerm: null,
      openConsoleStore: () => this.openConsoleStore(),
      becomeShared: () => store.becomeShared(),
      // Nothing to do, because a file is never temporarily unavailable.
      endBy: () => {},
      openReader: () => openThreadedStore(path),
      watch: (onChange) => new DatabaseWatch(path, onChange),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    }
  }
}
