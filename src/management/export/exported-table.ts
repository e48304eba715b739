import type { Snapshot } from "../../store/snapshot.ts"
import type { AccountRecord } from "../../store/accounts.ts"

/** What is exported of a database. Times are Unix milliseconds, the end exclusive. */
export interface ExportScope {
  readonly snapshot: Snapshot
  readonly accounts: readonly AccountRecord[]
  /** Whether these are not all accounts. */
  readonly isNarrowed: boolean
  readonly from: number
  /** Absent: now. */
  readonly until?: number | undefined
  /** Whether keys come with the hashes that they are recognized by. */
  readonly hasKeyHashes: boolean
  /** The moment of the snapshot. */
  readonly now: number
}

/** A row as JSON; amounts are decimal text. */
export type ExportedRow = Readonly<Record<string, unknown>>

/** The rows of one file. The tables are read one after the other. */
export interface ExportedTable {
  readonly name: string
  /** All members that its rows may have, in the order of a file of columns. */
  readonly columns: readonly string[]
  rows(): AsyncIterable<ExportedRow> | Iterable<ExportedRow>
}

/** Rows per read. */
const PAGE = 500
/** The last moment that there is. */
const FOREVER = 8.64e15

/** The end of what is exported. */
export function endOf({ until = FOREVER }: ExportScope): number {
  return until
}

/** For filters of lists: undefined means all. */
export function idsOf({ accounts, isNarrowed }: ExportScope): string[] | undefined {
  return isNarrowed ? accounts.map(({ id }) => id) : undefined
}

/**
 * All rows of a list, read page by page.
 * @param read those that come after a row.
 */
export async function* allPages<Row>(
  read: (after: Row | null, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let last: Row | null = null; ;) {
    const page: readonly Row[] = await read(last, PAGE)
    yield* page
    last = page.at(-1) ?? null
    if (page.length < PAGE) return
  }
}

export function columnsOf(names: string): readonly string[] {
  return names.split(" ")
}
