import { editDistance } from "../config/edit-distance.ts"

/** Longer input is no name of a model, and comparing it would be work for nothing. */
const LONGEST = 256

/**
 * The ids nearest to what a caller wrote, at most `count`: first those that end in it, like a name without its
 * provider, then those a few letters away. The work is bounded, whatever was written.
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
