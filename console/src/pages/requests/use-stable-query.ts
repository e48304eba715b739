import { useMemo } from "react"
import type { RequestFilters } from "./request-filters.ts"

/** Requests in one answer. */
export const PAGE = 50

/** "The last hour" begins when it is chosen: else each look would be another question. */
export function useStableQuery<Query>(
  filters: RequestFilters,
  queryOf: (filters: RequestFilters, now: number) => Query,
): Query {
  const text = JSON.stringify(filters)
  return useMemo(() => queryOf(JSON.parse(text) as RequestFilters, Date.now()), [text, queryOf])
}
