import type { Snapshot } from "../../store/snapshot.ts"
import type { AccountRecord } from "../../store/accounts.ts"

/** The scope of an export. Times are Unix milliseconds; the end is exclusive. */
export interface ExportScope {
  readonly snapshot: Snapshot
  readonly accounts: readonly AccountRecord[]
  /** Whether the export is limited to some accounts. */
  readonly isNarrowed: boolean
  readonly from: number
  /** Defaults to the current time. */
  readonly until?: number | undefined
  /** Whether keys include the hashes that identify them. */
  readonly hasKeyHashes: boolean
  /** The time of the snapshot. */
  readonly now: number
}

/** A row as JSON; amounts are decimal text. */
export type ExportedRow = Readonly<Record<string, unknown>>

/** The rows of one file. Tables are read one at a time. */
export interface ExportedTable {
  readonly name: string
  /** All possible members of the rows, in column order. */
  readonly columns: readonly string[]
  rows(): AsyncIterable<ExportedRow> | Iterable<ExportedRow>
}

/** Rows per read. */
const PAGE_SIZE = 500
/** The latest time of a `Date`. */
const FOREVER = 8.64e15

/** Returns the end of the exported time range. */
export function endOf({ until = FOREVER }: ExportScope): number {
  return until
}

/** Returns the accounts for filters of lists; undefined for all accounts. */
export function idsOf({ accounts, isNarrowed }: ExportScope): string[] | undefined {
  return isNarrowed ? accounts.map(({ id }) => id) : undefined
}

/**
 * Yields all rows of a list, read page by page.
 * @param read reads the rows after a given one.
 */
export async function* allPages<Row>(
  read: (after: Row | null, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let last: Row | null = null; ;) {
    const page: readonly Row[] = await read(last, PAGE_SIZE)
    yield* page
    last = page.at(-1) ?? null
    if (page.length < PAGE_SIZE) return
  }
}

export function columnsOf(names: string): readonly string[] {
  return names.split(" ")
}
