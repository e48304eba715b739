import type { Snapshot } from "../../store/database.ts"
import type { AccountRecord } from "../../store/accounts.ts"

/** The scope of an export. Times are Unix milliseconds, and the end is exclusive. */
export interface ExportScope {
  readonly snapshot: Snapshot
  readonly accounts: readonly AccountRecord[]
  /** Whether the export only covers some accounts. */
  readonly isNarrowed: boolean
  /** Whether multipliers, providers and deployments are hidden from customers. */
  readonly hidesCosts: boolean
  readonly from: number
  /** The end of the time range; if absent, the current time. */
  readonly until?: number | undefined
  /** Whether keys include the hashes that they are identified by. */
  readonly hasKeyHashes: boolean
  /** The time of the snapshot. */
  readonly now: number
}

/** A row as JSON; amounts are decimal text. */
export type ExportedRow = Readonly<Record<string, unknown>>

/** The rows of one file. Tables are read one at a time. */
export interface ExportedTable {
  readonly name: string
  /** All possible members of a row, in the order of the columns. */
  readonly columns: readonly string[]
  rows(): AsyncIterable<ExportedRow> | Iterable<ExportedRow>
}

/** Number of rows per read. */
const PAGE_SIZE = 500
/** The latest time that a `Date` can represent. */
const FOREVER = 8.64e15

/** Returns the end of the exported time range. */
export function endOf({ until = FOREVER }: ExportScope): number {
  return until
}

/** Returns the accounts for filtering lists; undefined for all accounts. */
export function idsOf({ accounts, isNarrowed }: ExportScope): string[] | undefined {
  return isNarrowed ? accounts.map(({ id }) => id) : undefined
}

/**
 * Yields all rows of a list, page by page.
 * @param read reads the rows after a given row.
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
