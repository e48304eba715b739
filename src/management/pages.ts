import { ownTurn } from "../canon/next-turn.ts"

/**
 * Yields the pages of a long list. Each page is read in its own turn of the event loop, because SQLite reads on the
 * gateway's thread, so that requests of others are served between two pages.
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
