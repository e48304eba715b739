import { queryOptions } from "@tanstack/react-query"
import { api } from "../../api/client.ts"

/** What can be added, and what each vendor asks for. */
export const vendorsQuery = queryOptions({
  queryKey: ["/providers/vendors"],
  queryFn: async ({ signal }) => {
    const { data } = await api("GET /providers/vendors", {}, { signal })
    return data
  },
  staleTime: 600_000,
})
