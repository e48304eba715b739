/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighboring characters between two texts, or
 * `limit + 1` if it is larger. Equal ends are skipped, and only cells within `limit` of the diagonal are computed. The
 * work is therefore at most proportional to the longer length times the limit.
 */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1
  const start = equalStart(left, right)
  const end = equalEnd(left, right, start)
  return bandedDistance(
    left.slice(start, left.length - end),
    right.slice(start, right.length - end),
    limit,
  )
}

/** Computes the distance with three rows of the table: the current row and, for swaps, the two rows before it. */
function bandedDistance(left: string, right: string, limit: number): number {
  const beyond = limit + 1
  if (left.length === 0 || right.length === 0) return Math.max(left.length, right.length)
  let [beforePrevious, previous, current] = rowsOf(right.length + 1)
  // Cells outside the band are never read.
  for (let column = 0; column <= Math.min(right.length, beyond); column++) previous[column] = column
  // A swap depends on the row before the previous one, so the search only ends after two consecutive rows beyond the
  // limit.
  let previousMin = 0
  for (let row = 1; row <= left.length; row++) {
    const from = Math.max(1, row - limit)
    const to = Math.min(right.length, row + limit)
    // Marks the cells next to the computed band as beyond the limit.
    current[from - 1] = from === 1 ? Math.min(row, beyond) : beyond
    if (to < right.length) current[to + 1] = beyond
    let min = current[from - 1] ?? beyond
    const letter = left.charCodeAt(row - 1)
    const letterBefore = left.charCodeAt(row - 2)
    for (let column = from; column <= to; column++) {
      const other = right.charCodeAt(column - 1)
      let cost = (previous[column - 1] ?? beyond) + (letter === other ? 0 : 1)
      cost = Math.min(cost, (previous[column] ?? beyond) + 1, (current[column - 1] ?? beyond) + 1)
      if (letterBefore === other && letter === right.charCodeAt(column - 2)) {
        cost = Math.min(cost, (beforePrevious[column - 2] ?? beyond) + 1)
      }
      current[column] = Math.min(cost, beyond)
      min = Math.min(min, cost)
    }
    if (min > limit && previousMin > limit) return beyond
    previousMin = min
    ;[beforePrevious, previous, current] = [previous, current, beforePrevious]
  }
  return previous[right.length] ?? beyond
}

let rows: readonly [Int16Array, Int16Array, Int16Array] = [
  new Int16Array(0),
  new Int16Array(0),
  new Int16Array(0),
]

/**
 * Returns rows with at least the given length. The rows are reused, because creating them takes longer than most
 * comparisons.
 */
function rowsOf(length: number): typeof rows {
  if (rows[0].length < length) {
    rows = [new Int16Array(length), new Int16Array(length), new Int16Array(length)]
  }
  return rows
}

function equalStart(left: string, right: string): number {
  const max = Math.min(left.length, right.length)
  let count = 0
  while (count < max && left.charCodeAt(count) === right.charCodeAt(count)) count++
  return count
}

function equalEnd(left: string, right: string, start: number): number {
  const max = Math.min(left.length, right.length) - start
  let count = 0
  while (
    count < max &&
    left.charCodeAt(left.length - count - 1) === right.charCodeAt(right.length - count - 1)
  ) {
    count++
  }
  return count
}
