import { useQuery } from "@tanstack/react-query"
import { oneQuery } from "../../api/queries.ts"

/**
 * The price groups, for choosing one.
 * @param chosen one that is there even if it is gone.
 */
export function usePriceGroups(chosen: string | null) {
  const { data, error } = useQuery(oneQuery("GET /price-groups", { query: { limit: 200 } }))
  const known = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name ?? id }))
  const isGone =
    data !== undefined && chosen !== null && known.every(({ value }) => value !== chosen)
  const choices = isGone ? [...known, { value: chosen, label: chosen }] : known
  return { choices, error, isLoading: data === undefined }
}
