import { queryOptions } from "@tanstack/react-query"
import { api } from "../../api/client.ts"

/** The vendors that can be added, with the fields of each. */
export const vendorsQuery = queryOptions({
  queryKey: ["/providers/vendors"],
  queryFn: async ({ signal }) => {
    const { data } = await api("GET /providers/vendors", {}, { signal })
    return data
  },
  staleTime: 600_000,
})
