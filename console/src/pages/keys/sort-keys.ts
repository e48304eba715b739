import type { Key } from "tollgate-contract/keys.ts"
import { nanos } from "../../format/credits.ts"
import type { Sorting } from "../../ui/sorting.ts"

/** Newest keys first, like the API's list. */
export const NEWEST_FIRST: Sorting = { by: "created", order: "desc" }

/** Sorts keys. Keys with equal values keep their order, and keys with missing times come last. */
export function sortKeys(keys: readonly Key[], { by, order }: Sorting): Key[] {
  const direction = order === "asc" ? 1 : -1
  return keys
    .map((key) => ({ key, value: valueOf(key, by) }))
    .toSorted((left, right) => {
      if (left.value === right.value) return 0
      if (left.value === null) return 1
      if (right.value === null) return -1
      return (left.value < right.value ? -1 : 1) * direction
    })
    .map(({ key }) => key)
}

function valueOf(key: Key, by: string): string | bigint | null {
  switch (by) {
    case "name":
      return key.name.toLowerCase()
    case "spent":
      return nanos(key.spent)
    case "used":
      return key.last_used_at
    case "expires":
      return key.expires_at
    default:
      return key.created_at
  }
}
