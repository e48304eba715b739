import { useQuery } from "@tanstack/react-query"
import { oneQuery } from "../../api/queries.ts"

/**
 * Returns the price groups for a selection.
 * @param chosen the selected group, which is listed even if it was deleted.
 */
export function usePriceGroups(chosen: string | null) {
  const { data, error } = useQuery(oneQuery("GET /price-groups", { query: { limit: 200 } }))
  const known = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name ?? id }))
  const isGone =
    data !== undefined && chosen !== null && known.every(({ value }) => value !== chosen)
  const choices = isGone ? [...known, { value: chosen, label: chosen }] : known
  return { choices, error, isLoading: data === undefined }
}
