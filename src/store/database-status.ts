import type { NodeRecord } from "./nodes.ts"

/** What a database is, and how it is doing. */
export interface DatabaseStatus {
  readonly engine: "SQLite" | "PostgreSQL"
  /** Of the engine: `17.5`. */
  readonly version: string
  /** Where it is; holds no secret. */
  readonly place: string
  readonly schema: SchemaVersions
  /** On disk, all of it. */
  readonly bytes: number
  /** The largest first. SQLite: its files. */
  readonly parts: readonly DatabasePart[]
  /** Processes that use it; null where its schema is another than this program's. */
  readonly nodes: readonly NodeRecord[] | null
  /** Of a server. */
  readonly server?: ServerStatus
}

/** Steps of the schema. */
export interface SchemaVersions {
  /** Those that the database has taken; 0: it has no tables yet. */
  readonly found: number
  /** Those that this program knows. */
  readonly known: number
  /** Why this program cannot use it as it is. */
  readonly fault: string | null
}

/** A table with all of its partitions and indexes, or a file. */
export interface DatabasePart {
  readonly name: string
  readonly bytes: number
  /** 0: it has none. */
  readonly partitions: number
}

/** What is to be known of a server before money is entrusted to it. */
export interface ServerStatus {
  /** The main version: 17. */
  readonly release: number
  /** Its clock minus ours, milliseconds; as far as half a round trip tells. */
  readonly clockOffset: number
  /** Of one statement, milliseconds. */
  readonly roundTrip: number
  /** The version of TLS of its connection to us, or to the pooler between; null without. */
  readonly encryption: string | null
  readonly isOnThisMachine: boolean
  /** Of its texts: `UTF8`. */
  readonly encoding: string
  /** It can only be read. */
  readonly isStandby: boolean
  /** Its settings by which what is committed may be lost when it crashes: `fsync = off`. */
  readonly risks: readonly string[]
  /** What is wrong with the pooler before it. */
  readonly poolerFault: string | null
  /** For how many days from now there are partitions; null: it has no tables yet. */
  readonly daysAhead: number | null
}
