/** Longer input is no name of a model, and comparing it would be work for nothing. */
const LONGEST = 256

/**
 * The ids nearest to what a caller wrote, at most `count`: first those that end in it, as a name
 * without its provider does, then those a few letters away. Bounded work, whatever was written.
 */
export function nearestNames(wanted: string, ids: readonly string[], count: number): string[] {
  const name = wanted.slice(0, LONGEST).toLowerCase()
  if (name === "" || name.length < wanted.length) return []
  const bare = name.slice(name.indexOf("/") + 1)
  const found: { readonly id: string; readonly distance: number }[] = []
  const limit = Math.min(8, Math.max(2, Math.ceil(bare.length / 4)))
  for (const id of ids) {
    const distance = distanceTo(id.toLowerCase(), name, bare, limit)
    if (distance <= limit) found.push({ id, distance })
  }
  return found
    .toSorted((left, right) => left.distance - right.distance || (left.id < right.id ? -1 : 1))
    .slice(0, count)
    .map(({ id }) => id)
}

function distanceTo(id: string, name: string, bare: string, limit: number): number {
  if (id.endsWith(`/${bare}`)) return 0
  const first = id.indexOf("/")
  const last = id.lastIndexOf("/")
  const whole = editDistance(id, name, limit)
  const tail = editDistance(id.slice(first + 1), bare, limit)
  const end = last === first ? tail : editDistance(id.slice(last + 1), bare, limit)
  return Math.min(whole, tail, end)
}

/**
 * Insertions, deletions and substitutions; `limit + 1` when there are more. Equal ends are left out,
 * and only the cells within `limit` of the diagonal are looked at.
 */
function editDistance(left: string, right: string, limit: number): number {
  const beyond = limit + 1
  if (Math.abs(left.length - right.length) > limit) return beyond
  const start = equalStart(left, right)
  const end = equalEnd(left, right, start)
  const rows = left.length - start - end
  const columns = right.length - start - end
  let previous = Int16Array.from({ length: columns + 1 }, (_, index) => Math.min(index, beyond))
  let current = new Int16Array(columns + 1)
  for (let row = 1; row <= rows; row++) {
    const from = Math.max(1, row - limit)
    const to = Math.min(columns, row + limit)
    // Around the band: what is not looked at is too far.
    current[from - 1] = from === 1 ? Math.min(row, beyond) : beyond
    if (to < columns) current[to + 1] = beyond
    let min = current[from - 1] ?? beyond
    for (let column = from; column <= to; column++) {
      const same = left.charCodeAt(start + row - 1) === right.charCodeAt(start + column - 1)
      const substituted = (previous[column - 1] ?? beyond) + (same ? 0 : 1)
      const deleted = (previous[column] ?? beyond) + 1
      const inserted = (current[column - 1] ?? beyond) + 1
      const cost = Math.min(substituted, deleted, inserted, beyond)
      current[column] = cost
      if (cost < min) min = cost
    }
    if (min > limit) return beyond
    const finished = current
    current = previous
    previous = finished
  }
  return Math.min(previous[columns] ?? beyond, beyond)
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
