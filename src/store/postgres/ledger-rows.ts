/** The columns to read from each table that has rows of the ledger, in addition to their positions. */
interface Columns {
  readonly entries: string
  readonly receipts: string
  readonly expired: string
}

/**
 * Selects all rows of the ledger in the order of their positions, after $1 and up to $2, at most $3 rows. Each table is
 * read by its index, and no further than the end of the page.
 */
export function selectLedgerRows({ entries, receipts, expired }: Columns): string {
  const page = "position > $1 AND position <= $2 ORDER BY position LIMIT $3"
  return `(SELECT position, ${entries} FROM entries WHERE ${page})
    UNION ALL (SELECT position, ${receipts} FROM receipts WHERE entry IS NULL AND ${page})
    UNION ALL (SELECT position, ${expired} FROM expired_receipts WHERE ${page})
    ORDER BY position LIMIT $3`
}
