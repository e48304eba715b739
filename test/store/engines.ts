import { existsSync } from "node:fs"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import { openThreadedStore } from "../../src/store/sqlite/serving-store.ts"
import { databaseAt, databaseOf } from "../../src/store/installation-database.ts"
import type { Store } from "../../src/store/store.ts"
import type { ServingDatabase } from "../../src/store/serving-database.ts"
import type { ConsoleStore } from "../../src/store/console-store.ts"
import type { Database } from "../../src/store/database.ts"
import { TestDatabases } from "../support/postgres-databases.ts"
import { copyMigratedDatabase } from "../support/sqlite-template.ts"

/** A way to open a database with an engine. The contract of each aggregate is tested with all of them. */
export interface Engine {
  readonly name: string
  /** Opens the database that belongs to a folder of the test. It is created when it is first opened. */
  readonly open: (folder: string) => Promise<Store>
  /** Returns the database that belongs to a folder of the test. */
  readonly database: (folder: string) => Promise<Database>
  /** Opens the users of the console and their credentials. */
  readonly users: (folder: string) => Promise<ConsoleStore>
  /** Opens the database like a process that serves requests. */
  readonly serve: (folder: string) => Promise<Served>
}

/** A database with all data that belongs to it. */
export type Served = Pick<
  ServingDatabase,
  "store" | "reports" | "payloads" | "failures" | "conversations" | "files"
> &
  AsyncDisposable

const databases = new TestDatabases()

export const SQLITE: Engine = {
  name: "SQLite",
  open(folder) {
    if (!existsSync(databaseFileIn(folder))) copyMigratedDatabase(folder)
    return databaseOf({ data: folder }).openStore()
  },
  database: async (folder) => databaseOf({ data: folder }),
  users: (folder) => databaseOf({ data: folder }).openConsoleStore(),
  serve: (folder) => databaseOf({ data: folder }).openToServe(false),
}

export const THREADED_SQLITE: Engine = {
  name: "SQLite on a thread",
  open: (folder) => openThreadedStore(databaseFileIn(folder)),
  database: async (folder) => databaseOf({ data: folder }),
  users: (folder) => databaseOf({ data: folder }).openConsoleStore(),
  serve: (folder) => databaseOf({ data: folder }).openToServe(true),
}

export const POSTGRES: Engine = {
  name: "PostgreSQL",
  open: async (folder) => (await postgresOf(folder)).openStore(),
  database: postgresOf,
  users: async (folder) => (await postgresOf(folder)).openConsoleStore(),
  serve: async (folder) => (await postgresOf(folder)).openToServe(false),
}

export const ENGINES: readonly Engine[] = [SQLITE, THREADED_SQLITE, POSTGRES]

async function postgresOf(folder: string): Promise<Database> {
  const url = await databases.urlOf(folder)
  return databaseAt({ engine: "postgresql", url, connections: 4 })
}

/**
 * Returns the code with which the store rejects a step; undefined if the step succeeds. Bun's `rejects` cannot be used,
 * because it runs the event loop inside the test, which loses the messages of a thread.
 */
export async function rejectionOf(step: Promise<unknown>): Promise<unknown> {
  return step.then(
    () => undefined,
    (error: unknown) => Reflect.get(Object(error), "code") ?? error,
  )
}
