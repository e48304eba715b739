import { Database } from "bun:sqlite"
import type { Installation } from "../test/support/process.ts"
import { databaseOf } from "../src/store/installation-database.ts"
import { databaseFileIn } from "../src/store/sqlite/database-file.ts"
import type { StoreReader } from "../src/store/store.ts"
import type { Random } from "./random.ts"

/** A way to make a database suffer. Resolves when it is over. */
export interface DatabaseFault {
  readonly name: string
  run(random: Random): Promise<void>
}

/** The database of a run. */
export interface TortureEngine extends AsyncDisposable {
  readonly name: string
  /** Further variables of the nodes. */
  readonly environment: Readonly<Record<string, string>>
  readonly faults: readonly DatabaseFault[]
  /** Called once, before anything else uses the installation. */
  prepare(installation: Installation): Promise<void>
  /** What the oracle reads. */
  openReader(): Promise<StoreReader>
}

/** SQLite: a file that all nodes share. Nothing can come between it and them but a lock. */
export class SqliteEngine implements TortureEngine {
  readonly name = "sqlite"
  readonly environment = {}
  readonly faults: readonly DatabaseFault[] = [
    { name: "the file locked by another process", run: (random) => this.#lock(random) },
  ]
  #installation: Installation | undefined

  async prepare(installation: Installation): Promise<void> {
    this.#installation = installation
  }

  openReader(): Promise<StoreReader> {
    return databaseOf({ data: this.#data }).openReader()
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  get #data(): string {
    if (!this.#installation) throw new Error("the engine has not been prepared")
    return this.#installation.data
  }

  async #lock(random: Random): Promise<void> {
    const time = random.between(200, 6_000)
    using database = new Database(databaseFileIn(this.#data))
    database.run("PRAGMA busy_timeout = 5000")
    try {
      database.run("BEGIN IMMEDIATE")
      await Bun.sleep(time)
      database.run("ROLLBACK")
    } catch {
      // Someone else holds it.
    }
  }
}
