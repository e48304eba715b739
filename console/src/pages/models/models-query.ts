import { queryOptions } from "@tanstack/react-query"
import type { Model } from "tollgate-contract/catalog.ts"
import type { Page } from "tollgate-contract/common.ts"
import { api } from "../../api/client.ts"

/** The whole catalog in one answer: filters then work as one types. */
export const modelsQuery = queryOptions({
  queryKey: ["/models"],
  queryFn: async ({ signal }) => {
    const page = await api.get<Page<Model>>("/models", { limit: 2_000 }, signal)
    return page.data
  },
  staleTime: 30_000,
})
