import type { NodeRecord } from "./nodes.ts"

/** The kind and state of a database. */
export interface DatabaseStatus {
  readonly engine: "SQLite" | "PostgreSQL"
  /** Version of the engine, such as `17.5`. */
  readonly version: string
  /** The location of the database for display, without secrets. */
  readonly place: string
  readonly schema: SchemaVersions
  /** Total size on disk in bytes. */
  readonly bytes: number
  /** The parts of the database, the largest first. With SQLite, these are its files. */
  readonly parts: readonly DatabasePart[]
  /** Processes that use the database; null if this program does not support its schema. */
  readonly nodes: readonly NodeRecord[] | null
  /** The server; absent if the database is a file. */
  readonly server?: ServerStatus
}

/** Versions of the schema. */
export interface SchemaVersions {
  /** The version of the database; 0 if it has no tables yet. */
  readonly found: number
  /** The newest version that this program supports. */
  readonly known: number
  /** The reason why this program cannot use the database; null if it can. */
  readonly fault: string | null
}

/** A table with all of its partitions and indexes, or a file. */
export interface DatabasePart {
  readonly name: string
  readonly bytes: number
  /** Number of partitions; 0 for files and for tables without partitions. */
  readonly partitions: number
}

/** Properties of a server that are checked before it is used for a ledger. */
export interface ServerStatus {
  /** The major version, such as 17. */
  readonly release: number
  /** The server's clock minus the local clock in milliseconds, with an error of up to half a round trip. */
  readonly clockOffset: number
  /** Duration of one statement, in milliseconds. */
  readonly roundTrip: number
  /** TLS version of the connection to the server, or to a pooler in front of it; null without TLS. */
  readonly encryption: string | null
  readonly isOnThisMachine: boolean
  /** Encoding of text, such as `UTF8`. */
  readonly encoding: string
  /** Whether the server is a standby, which is read-only. */
  readonly isStandby: boolean
  /** Whether transactions of this user are read-only by default. */
  readonly isReadOnly: boolean
  /** Settings that may lose committed data in a crash, such as `fsync = off`. */
  readonly risks: readonly string[]
  /** The problem with the pooler in front of the server; null without a problem. */
  readonly poolerFault: string | null
  /** Number of days, including today, for which partitions exist; null if there are no tables yet. */
  readonly daysAhead: number | null
}
