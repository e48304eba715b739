import type { InstallationSecrets } from "../../secrets/installation-secrets.ts"
import type { FileKind } from "../kept-files.ts"
import type { StoreReader } from "../store.ts"
import { type CopiedTable, TABLES } from "./tables.ts"

/** Numbers are whole, and yes and no are 1 and 0. */
export type CopiedValue = string | bigint | Uint8Array | null

/** In the order of the columns of its table. */
export type CopiedRow = readonly CopiedValue[]

export interface CopiedFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** How long it is still kept, milliseconds. */
  readonly lifetime: number
}

/** A database that is copied: nobody writes to it meanwhile. */
export interface CopySource {
  readonly secrets: InstallationSecrets
  /** When its first request was, Unix milliseconds; null where there is none. */
  findBeginning(): Promise<number | null>
  /** All rows, some at a time. */
  rows(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>
  files(kind: FileKind): AsyncIterable<CopiedFile>
}

/** A database that is being made from another one. */
export interface CopyTarget {
  write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>
  writeFile(kind: FileKind, file: CopiedFile): Promise<void>
  /** What is hashed and encrypted in the source stays so: hashes of keys cannot be made again. */
  keepSecrets(secrets: InstallationSecrets): Promise<void>
}

/** How many of each were copied. */
export type CopyCounts = Readonly<Record<string, number>>

/** Looks at what was copied. @throws Error when it is not what it should be. */
export type CopyCheck = (copy: StoreReader) => Promise<void>

const FILE_KINDS: readonly FileKind[] = ["answers", "pictures"]

/** Copies everything. */
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
