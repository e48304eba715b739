import type { Database } from "./database.ts"
import { PostgresDatabase, type PostgresAddress } from "./postgres/postgres-database.ts"
import { databaseFileIn } from "./sqlite/database-file.ts"
import { SqliteDatabase } from "./sqlite/sqlite-database.ts"

/** Which database, and where. Another engine is another member. */
export type DatabaseAddress =
  | {
      readonly engine: "sqlite"
      /** The file. */
      readonly path: string
    }
  | ({ readonly engine: "postgresql" } & PostgresAddress)

/** What of the settings says where the database is. */
export interface DatabasePlace {
  /** The data folder. */
  readonly data: string
  /** Absent: SQLite, in the data folder. */
  readonly database?: PostgresAddress | undefined
}

/** The database at an address. */
export function databaseAt(address: DatabaseAddress): Database {
  return address.engine === "sqlite"
    ? new SqliteDatabase(address.path)
    : new PostgresDatabase(address)
}

/** The database of an installation. */
export function databaseOf({ data, database }: DatabasePlace): Database {
  return databaseAt(
    database === undefined
      ? { engine: "sqlite", path: databaseFileIn(data) }
      : { engine: "postgresql", ...database },
  )
}
