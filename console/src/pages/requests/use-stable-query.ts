import { useMemo } from "react"
import type { RequestFilters } from "./request-filters.ts"

/** Page size. */
export const PAGE = 50

/**
 * Fixes the start of a range such as "the last hour" when it is selected. Otherwise, each poll would be a different
 * query.
 */
export function useStableQuery<Query>(
  filters: RequestFilters,
  queryOf: (filters: RequestFilters, now: number) => Query,
): Query {
  const text = JSON.stringify(filters)
  return useMemo(() => queryOf(JSON.parse(text) as RequestFilters, Date.now()), [text, queryOf])
}
