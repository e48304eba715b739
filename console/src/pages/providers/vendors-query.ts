import { queryOptions } from "@tanstack/react-query"
import type { Vendor } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"

/** What can be added, and what each vendor asks for. */
export const vendorsQuery = queryOptions({
  queryKey: ["/providers/vendors"],
  queryFn: async ({ signal }) => {
    const answer = await api.get<{ readonly data: readonly Vendor[] }>(
      "/providers/vendors",
      {},
      signal,
    )
    return answer.data
  },
  staleTime: 600_000,
})
