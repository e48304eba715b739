import type { Database } from "./database.ts"
import { databaseFileIn } from "./sqlite/database-file.ts"
import { SqliteDatabase } from "./sqlite/sqlite-database.ts"

/** Which database, and where. Another engine is another member. */
export interface DatabaseAddress {
  readonly engine: "sqlite"
  /** The file. */
  readonly path: string
}

/** What of the settings says where the database is. */
export interface DatabaseSettings {
  /** The data folder. */
  readonly data: string
}

/** The database at an address. */
export function databaseAt({ path }: DatabaseAddress): Database {
  return new SqliteDatabase(path)
}

/** The database of an installation. */
export function databaseOf({ data }: DatabaseSettings): Database {
  return databaseAt({ engine: "sqlite", path: databaseFileIn(data) })
}
