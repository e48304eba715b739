import { Database } from "bun:sqlite"
import type { Installation } from "../test/support/process.ts"
import { databaseOf } from "../src/store/installation-database.ts"
import { databaseFileIn } from "../src/store/sqlite/database-file.ts"
import type { StoreReader } from "../src/store/store.ts"
import type { Random } from "./random.ts"

/** Resolves after the given number of milliseconds, or when the run has ended. */
export type Pause = (milliseconds: number) => Promise<unknown>

/** Plays a fault. Resolves when the fault has ended. */
export interface Fault {
  readonly name: string
  run(random: Random, pause: Pause): Promise<void>
}

/** The database of a run after its start. */
export interface TortureDatabase extends AsyncDisposable {
  /** The lines about the database in the settings file of all nodes. */
  readonly yaml: string
  /** The settings lines for nodes whose connection to the database has no faults, because it does not use a proxy. */
  readonly directYaml: string
  /** Whether all nodes share one data folder. */
  readonly sharesFolder: boolean
  /** Returns the faults of the database. */
  faults(installation: Installation): readonly Fault[]
  /** Opens the reader with which the ledger is checked. */
  openReader(installation: Installation): Promise<StoreReader>
}

/** A database engine that can be tested. */
export interface TortureEngine {
  readonly name: string
  start(): Promise<TortureDatabase>
}

/** SQLite. All nodes share one file. The only fault between a node and the file is a lock. */
export const SQLITE: TortureEngine = {
  name: "sqlite",
  start: async () => ({
    yaml: "",
    directYaml: "",
    sharesFolder: true,
    faults: ({ data }) => [
      {
        name: "the file locked by another process",
        run: (random, pause) => lock(data, random, pause),
      },
    ],
    openReader: ({ data }) => databaseOf({ data }).openReader(),
    async [Symbol.asyncDispose]() {},
  }),
}

async function lock(data: string, random: Random, pause: Pause): Promise<void> {
  const time = random.between(200, 6_000)
  using database = new Database(databaseFileIn(data))
  database.run("PRAGMA busy_timeout = 5000")
  try {
    database.run("BEGIN IMMEDIATE")
    await pause(time)
    database.run("ROLLBACK")
  } catch {
    // If another process holds the lock, this fault is skipped.
  }
}
