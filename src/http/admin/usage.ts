import { overview, overviewQuery, usage, usageQuery } from "tollgate-contract/usage.ts"
import type { UsageReports } from "../../management/usage.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/usage`: what was used, and what it cost. */
export function usageEndpoints({
  usageReports,
}: {
  readonly usageReports: UsageReports
}): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/usage",
      summary:
        "Sums of the requests of a time, by hour, day, model, key, provider, account or outcome",
      least: "session",
      query: usageQuery,
      answer: usage,
      handle: ({ actor, query }) => usageReports.usage(actor, query),
    }),
    endpoint({
      method: "GET",
      path: "/usage/overview",
      summary: "Balance, spending, errors and latency of today, and the last thirty days",
      least: "session",
      query: overviewQuery,
      answer: overview,
      handle: ({ actor, query }) => usageReports.overview(actor, query.account),
    }),
  ]
}
