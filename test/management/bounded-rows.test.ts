import { expect, test } from "bun:test"
import { boundedRows } from "../../src/management/pages.ts"

/** Reads pages of rows that have these lengths in bytes. */
function pageOf(lengths: readonly number[], limit: number) {
  const counts: number[] = []
  const page = boundedRows<number>(
    limit,
    async (last, count) => {
      counts.push(count)
      const start = last === undefined ? 0 : last + 1
      return lengths.map((_, index) => index).slice(start, start + count)
    },
    (index) => lengths[index] ?? 0,
  )
  return page.then(({ found, limit: rows }) => ({ found: found.length, limit: rows, counts }))
}

const MEGABYTE = 1024 * 1024

test.each([
  ["all rows of a short list", [1, 1, 1], 5, { found: 3, limit: 5 }],
  ["one row more than the limit", [1, 1, 1, 1], 3, { found: 4, limit: 3 }],
  ["rows in several turns", Array.from({ length: 60 }, () => 1), 50, { found: 51, limit: 50 }],
  ["no rows of an empty list", [], 5, { found: 0, limit: 5 }],
  ["a long row alone", [2 * MEGABYTE, 1, 1], 5, { found: 2, limit: 1 }],
  ["a long last row", [1, 2 * MEGABYTE], 5, { found: 2, limit: 5 }],
  ["long rows", Array.from({ length: 60 }, () => MEGABYTE / 32), 200, { found: 33, limit: 32 }],
] as const)("a page contains %s", async (_, lengths, limit, expected) => {
  const { counts, ...page } = await pageOf(lengths, limit)
  expect(page).toEqual(expected)
  for (const count of counts) expect(count).toBeLessThanOrEqual(20)
})
