import { queryOptions } from "@tanstack/react-query"
import { api } from "../../api/client.ts"

/** The whole catalog in one answer: filters then work as one types. */
export const modelsQuery = queryOptions({
  queryKey: ["/models"],
  queryFn: async ({ signal }) => {
    const { data } = await api("GET /models", { query: { limit: 2_000 } }, { signal })
    return data
  },
  staleTime: 30_000,
})
