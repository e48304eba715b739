import { editDistance } from "../config/edit-distance.ts"

/** Longer input is no name of a model, and comparing it would be work for nothing. */
const LONGEST = 256

interface Found {
  readonly id: string
  readonly distance: number
}

/**
 * The ids nearest to what a caller wrote, at most `count`: first those that end in it, like a name without its
 * provider, then those a few letters away. The work is bounded, whatever was written: once so many are found, only those
 * that are as near are looked for.
 */
export function nearestNames(wanted: string, ids: readonly string[], count: number): string[] {
  const name = wanted.slice(0, LONGEST).toLowerCase()
  if (name === "" || name.length < wanted.length) return []
  const bare = name.slice(name.indexOf("/") + 1)
  let found: Found[] = []
  let limit = Math.min(8, Math.max(2, Math.ceil(bare.length / 4)))
  for (const id of ids) {
    const distance = distanceTo(id.toLowerCase(), name, bare, limit)
    if (distance > limit) continue
    found = [...found, { id, distance }].toSorted(byDistance).slice(0, count)
    if (found.length === count) limit = found.at(-1)?.distance ?? limit
  }
  return found.map(({ id }) => id)
}

function byDistance(left: Found, right: Found): number {
  return left.distance - right.distance || (left.id < right.id ? -1 : 1)
}

/** The smallest of those to the whole id and to its ends; more than `limit` where none is within it. */
function distanceTo(id: string, name: string, bare: string, limit: number): number {
  if (id.endsWith(`/${bare}`)) return 0
  const first = id.indexOf("/")
  const last = id.lastIndexOf("/")
  let nearest = editDistance(id, name, limit)
  nearest = within(id.slice(first + 1), bare, nearest)
  if (last !== first) nearest = within(id.slice(last + 1), bare, nearest)
  return nearest
}

/** The distance of two texts where it is less than a limit, otherwise that limit. */
function within(left: string, right: string, limit: number): number {
  return limit === 0 ? 0 : editDistance(left, right, limit - 1)
}
