import { ownTurn } from "../canon/next-turn.ts"

/** Length of the rows of a page in bytes, after which no more rows are added. */
const MAX_PAGE_BYTES = 1024 * 1024
/** Number of rows of a page that are read in one turn of the event loop. Each may have about 100 KB. */
const ROWS_PER_TURN = 20

/**
 * Yields the pages of a long list. SQLite reads on the gateway's thread. Each page is therefore read in its own turn of
 * the event loop, so that other requests are served between two pages.
 * @param size maximum rows of a page. A shorter page is the last one.
 * @param read reads the page after a row; undefined for the first page.
 */
export async function* pagesOf<Row>(
  size: number,
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Row | undefined; ;) {
    await ownTurn()
    const page = await read(last)
    yield page
    last = page.at(-1)
    if (last === undefined || page.length < size) return
  }
}

/** The rows of a page. */
interface BoundedRows<Row> {
  /** The rows of the page, and one more if there is a next page. */
  readonly found: readonly Row[]
  /** Maximum rows of this page. */
  readonly limit: number
}

/**
 * Reads the rows of a page whose number and length are limited. A page of long rows has fewer rows than requested. The
 * rows are read in several turns of the event loop.
 * @param limit maximum rows of the page.
 * @param read reads at most `count` rows after a row; undefined for the first row of the page.
 */
export async function boundedRows<Row>(
  limit: number,
  read: (last: Row | undefined, count: number) => Promise<readonly Row[]>,
  bytesOf: (row: Row) => number,
): Promise<BoundedRows<Row>> {
  const found: Row[] = []
  let bytes = 0
  while (found.length <= limit) {
    const count = Math.min(ROWS_PER_TURN, limit + 1 - found.length)
    const rows = await read(found.at(-1), count)
    for (const row of rows) {
      found.push(row)
      if (bytes >= MAX_PAGE_BYTES) return { found, limit: found.length - 1 }
      bytes += bytesOf(row)
    }
    if (rows.length < count) break
    if (found.length <= limit) await ownTurn()
  }
  return { found, limit }
}
