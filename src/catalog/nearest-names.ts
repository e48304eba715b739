import { editDistance } from "../config/edit-distance.ts"

/** Longer input cannot be a model name and is not compared. */
const MAX_NAME_LENGTH = 256

interface Found {
  readonly id: string
  readonly distance: number
}

/**
 * Returns at most `count` ids that are similar to a name. Ids that end in the name come first, because the name may
 * lack its provider. Ids at a small edit distance follow. After `count` ids are found, only nearer ids are searched,
 * which limits the work.
 */
export function nearestNames(wanted: string, ids: readonly string[], count: number): string[] {
  const name = wanted.slice(0, MAX_NAME_LENGTH).toLowerCase()
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

/** Returns the smallest distance between a name and an id or the end of an id; more than `limit` if all exceed it. */
function distanceTo(id: string, name: string, bare: string, limit: number): number {
  if (id.endsWith(`/${bare}`)) return 0
  const first = id.indexOf("/")
  const last = id.lastIndexOf("/")
  let nearest = editDistance(id, name, limit)
  nearest = within(id.slice(first + 1), bare, nearest)
  if (last !== first) nearest = within(id.slice(last + 1), bare, nearest)
  return nearest
}

/** Returns the distance between two texts, at most `limit`. */
function within(left: string, right: string, limit: number): number {
  return limit === 0 ? 0 : editDistance(left, right, limit - 1)
}
