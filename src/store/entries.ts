import type { EntryRecord } from "../accounting/chained-records.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export interface NewEntry {
  readonly account: string
  /** The others have steps of their own. */
  readonly kind: "grant" | "adjustment" | "refund"
  readonly amount: bigint
  readonly at: number
  readonly note: string | null
  readonly author: string | null
}

/** Where the entries of a time stand: none up to `after` is of it or later, none after `last` of it or before. */
export interface EntryRange {
  readonly after: number
  readonly last: number
}

/** A line of the book with what a statement tells of a charge beside it. */
export interface StatementLine extends EntryRecord {
  readonly model: string | null
}
