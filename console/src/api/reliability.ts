import { queryOptions } from "@tanstack/react-query"
import type { ReliabilityQuery, ReliabilityRow } from "tollgate-contract/usage.ts"
import { api } from "./client.ts"

/** Fetches the reliability of models or providers in the last 24 hours, by name. */
export function reliabilityQuery(group: ReliabilityQuery["group"]) {
  return queryOptions({
    queryKey: ["/usage/reliability", { group }],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, ReliabilityRow>> => {
      const { data } = await api("GET /usage/reliability", { query: { group } }, { signal })
      return new Map(data.map((row) => [row.group, row]))
    },
    // An opened page first shows the last figures, and then replaces them.
    refetchOnMount: "always",
    refetchInterval: 60_000,
  })
}
