import { queryOptions } from "@tanstack/react-query"
import { api } from "./client.ts"

/**
 * Loads the complete catalog, so that filters need no requests.
 * @param account the account whose prices are shown; absent for the default prices.
 */
export function modelsQueryFor(account?: string) {
  return queryOptions({
    queryKey: ["/models", account],
    queryFn: async ({ signal }) => {
      const { data } = await api("GET /models", { query: { limit: 10_000, account } }, { signal })
      return data
    },
    staleTime: 30_000,
    // Comparing thousands of models with the previous data takes longer than rendering fifty of them again.
    structuralSharing: false,
  })
}

/** The catalog with the default prices. */
export const modelsQuery = modelsQueryFor()
