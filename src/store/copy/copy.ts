import type { InstallationSecrets } from "../../secrets/installation-secrets.ts"
import type { FileKind } from "../kept-files.ts"
import type { StoreReader } from "../store.ts"
import { type CopiedTable, TABLES } from "./tables.ts"

/** A value of a row. All numbers are integers, with 1 for true and 0 for false. */
export type CopiedValue = string | bigint | Uint8Array | null

/** The values of a row, in the order of the table's columns. */
export type CopiedRow = readonly CopiedValue[]

export interface CopiedFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The remaining lifetime of the file in milliseconds. */
  readonly lifetime: number
}

/** A database that is copied. No process writes to it during the copy. */
export interface CopySource {
  readonly secrets: InstallationSecrets
  /** Returns the start of the first request in Unix milliseconds; null without requests. */
  findBeginning(): Promise<number | null>
  /** Reads all rows in batches. */
  rows(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>
  files(kind: FileKind): AsyncIterable<CopiedFile>
}

/** A database that is created as a copy. */
export interface CopyTarget {
  write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>
  writeFile(kind: FileKind, file: CopiedFile): Promise<void>
  /**
   * Stores the secrets of the source. They are needed because hashes of keys cannot be recomputed, and encrypted data
   * is copied unchanged.
   */
  keepSecrets(secrets: InstallationSecrets): Promise<void>
}

/** Numbers of copied rows by table, and of copied files. */
export type CopyCounts = Readonly<Record<string, number>>

/**
 * Verifies a copy.
 * @throws Error if the copy differs.
 */
export type CopyCheck = (copy: StoreReader) => Promise<void>

const FILE_KINDS: readonly FileKind[] = ["responses", "images"]

/** Copies all tables and files. */
export async function copyAll(source: CopySource, target: CopyTarget): Promise<CopyCounts> {
  const counts: Record<string, number> = {}
  await target.keepSecrets(source.secrets)
  for (const table of TABLES) {
    let count = 0
    for await (const rows of source.rows(table)) {
      await target.write(table, rows)
      count += rows.length
    }
    counts[table.name] = count
  }
  for (const kind of FILE_KINDS) {
    let count = 0
    for await (const file of source.files(kind)) {
      await target.writeFile(kind, file)
      count++
    }
    counts[kind] = count
  }
  return counts
}
