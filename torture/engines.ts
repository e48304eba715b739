import { Database } from "bun:sqlite"
import type { Installation } from "../test/support/process.ts"
import { databaseOf } from "../src/store/installation-database.ts"
import { databaseFileIn } from "../src/store/sqlite/database-file.ts"
import type { StoreReader } from "../src/store/store.ts"
import type { Random } from "./random.ts"

/** Resolves after this many milliseconds, or when the run has ended. */
export type Pause = (milliseconds: number) => Promise<unknown>

/** A fault. Resolves when it has ended. */
export interface Fault {
  readonly name: string
  run(random: Random, pause: Pause): Promise<void>
}

/** The database of a run, once it has started. */
export interface TortureDatabase extends AsyncDisposable {
  /** Its lines in the settings file of all nodes. */
  readonly yaml: string
  /** The same lines without a proxy, for nodes whose database has no faults. */
  readonly directYaml: string
  /** Whether all nodes have one data folder. */
  readonly sharesFolder: boolean
  /** Returns the faults of the database. */
  faults(installation: Installation): readonly Fault[]
  /** Opens the reader of the oracle. */
  openReader(installation: Installation): Promise<StoreReader>
}

/** An engine that can be tortured. */
export interface TortureEngine {
  readonly name: string
  start(): Promise<TortureDatabase>
}

/** SQLite: a file that all nodes share. The only fault between it and the nodes is a lock. */
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
    // Another process holds the lock.
  }
}
