import type { Database } from "./database.ts"
import { PostgresDatabase, type PostgresAddress } from "./postgres/postgres-database.ts"
import { databaseFileIn } from "./sqlite/database-file.ts"
import { SqliteDatabase } from "./sqlite/sqlite-database.ts"

/** The engine and address of a database. */
export type DatabaseAddress =
  | {
      readonly engine: "sqlite"
      /** Path of the SQLite file. */
      readonly path: string
    }
  | ({ readonly engine: "postgresql" } & PostgresAddress)

/** The settings that determine the database. */
export interface DatabasePlace {
  /** Path of the data folder. */
  readonly data: string
  /** The address of a PostgreSQL database; if absent, SQLite in the data folder. */
  readonly database?: PostgresAddress | undefined
}

/** Creates the database object for an address, without opening the database. */
export function databaseAt(address: DatabaseAddress): Database {
  return address.engine === "sqlite"
    ? new SqliteDatabase(address.path)
    : new PostgresDatabase(address)
}

/** Creates the database object of an installation, without opening the database. */
export function databaseOf({ data, database }: DatabasePlace): Database {
  return databaseAt(
    database === undefined
      ? { engine: "sqlite", path: databaseFileIn(data) }
      : { engine: "postgresql", ...database },
  )
}
