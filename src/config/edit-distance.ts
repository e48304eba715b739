/**
 * Insertions, deletions, substitutions and swaps of neighbours between two texts; `limit + 1` when there are
 * more. Equal ends are skipped, and only the cells within `limit` of the diagonal are computed, so the work is
 * bounded by the longer text times the limit.
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

/** Three rows of the table are stored: the current one and, for swaps, the two before it. */
function bandedDistance(left: string, right: string, limit: number): number {
  const beyond = limit + 1
  let beforePrevious = new Int16Array(right.length + 1)
  let previous = beforePrevious.map((_, column) => Math.min(column, beyond))
  let current = new Int16Array(right.length + 1)
  // A swap reaches back two rows, so a single row that is too far does not end it.
  let previousMin = 0
  for (let row = 1; row <= left.length; row++) {
    const from = Math.max(1, row - limit)
    const to = Math.min(right.length, row + limit)
    // Around the band: cells outside it are too far.
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
