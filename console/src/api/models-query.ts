import { queryOptions } from "@tanstack/react-query"
import { api } from "./client.ts"

/** The whole catalog in one answer: filters then work as one types. @param account whose prices; absent: everyone's. */
export function modelsQueryFor(account?: string) {
  return queryOptions({
    queryKey: ["/models", account],
    queryFn: async ({ signal }) => {
      const { data } = await api("GET /models", { query: { limit: 10_000, account } }, { signal })
      return data
    },
    staleTime: 30_000,
    // To compare thousands of models with what was there takes longer than to draw fifty again.
    structuralSharing: false,
  })
}

/** The same at the prices that everyone pays. */
export const modelsQuery = modelsQueryFor()
