import type { NodeRecord } from "./nodes.ts"

/** The kind and state of a database. */
export interface DatabaseStatus {
  readonly engine: "SQLite" | "PostgreSQL"
  /** Version of the engine, such as `17.5`. */
  readonly version: string
  /** Its location, for display. Contains no secret. */
  readonly place: string
  readonly schema: SchemaVersions
  /** Total size on disk. */
  readonly bytes: number
  /** Its largest parts first; for SQLite, its files. */
  readonly parts: readonly DatabasePart[]
  /** Processes that use it; null if this program does not support its schema. */
  readonly nodes: readonly NodeRecord[] | null
  /** Only for databases on a server. */
  readonly server?: ServerStatus
}

/** Versions of the schema. */
export interface SchemaVersions {
  /** The version of the database; 0: no tables yet. */
  readonly found: number
  /** The newest version that this program supports. */
  readonly known: number
  /** Why this program cannot use the database. */
  readonly fault: string | null
}

/** A table with all its partitions and indexes, or a file. */
export interface DatabasePart {
  readonly name: string
  readonly bytes: number
  /** 0 for unpartitioned tables and files. */
  readonly partitions: number
}

/** Properties to check before a server is trusted with money. */
export interface ServerStatus {
  /** The major version, such as 17. */
  readonly release: number
  /** Its clock minus ours, in milliseconds, with an error of up to half a round trip. */
  readonly clockOffset: number
  /** Duration of one statement, in milliseconds. */
  readonly roundTrip: number
  /** TLS version of the connection to the server or to a pooler in between; null without TLS. */
  readonly encryption: string | null
  readonly isOnThisMachine: boolean
  /** Encoding of its texts, such as `UTF8`. */
  readonly encoding: string
  /** True if the server is read-only. */
  readonly isStandby: boolean
  /** Settings that may lose committed data in a crash, such as `fsync = off`. */
  readonly risks: readonly string[]
  /** The fault of the pooler in front of it. */
  readonly poolerFault: string | null
  /** For how many days, including today, there are partitions; null: no tables yet. */
  readonly daysAhead: number | null
}
