import type { InstallationSecrets } from "../../secrets/installation-secrets.ts"
import type { FileKind } from "../kept-files.ts"
import type { StoreReader } from "../store.ts"
import { type CopiedTable, TABLES } from "./tables.ts"

/** Numbers are integers; true and false are 1 and 0. */
export type CopiedValue = string | bigint | Uint8Array | null

/** The values in the order of the table's columns. */
export type CopiedRow = readonly CopiedValue[]

export interface CopiedFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The remaining lifetime in milliseconds. */
  readonly lifetime: number
}

/** A database to copy from. No process writes to it meanwhile. */
export interface CopySource {
  readonly secrets: InstallationSecrets
  /** Returns when its first request began, in Unix milliseconds; null without requests. */
  findBeginning(): Promise<number | null>
  /** Reads all rows in batches. */
  rows(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>
  files(kind: FileKind): AsyncIterable<CopiedFile>
}

/** A database that is created from another one. */
export interface CopyTarget {
  write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>
  writeFile(kind: FileKind, file: CopiedFile): Promise<void>
  /**
   * Stores the source's secrets: its hashes of keys cannot be recomputed, and its encrypted data is copied unchanged.
   */
  keepSecrets(secrets: InstallationSecrets): Promise<void>
}

/** Numbers of copied rows and files. */
export type CopyCounts = Readonly<Record<string, number>>

/**
 * Verifies a copy.
 * @throws Error if the copy is wrong.
 */
export type CopyCheck = (copy: StoreReader) => Promise<void>

const FILE_KINDS: readonly FileKind[] = ["answers", "pictures"]

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
