import { usageRoutes } from "#contract/usage.ts"
import type { Overviews } from "../../management/overview.ts"
import type { ReliabilityReports } from "../../management/reliability.ts"
import type { RequestCountReports } from "../../management/request-counts.ts"
import type { UsageReports } from "../../management/usage.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/usage`: what was used, and what it cost. */
export function usageEndpoints({
  usageReports,
  overviews,
  reliability,
  requestCounts,
}: {
  readonly usageReports: UsageReports
  readonly overviews: Overviews
  readonly reliability: ReliabilityReports
  readonly requestCounts: RequestCountReports
}): AdminEndpoint[] {
  return endpoints(usageRoutes, {
    "GET /usage": ({ actor, query }) => usageReports.usage(actor, query),
    "GET /usage/requests": ({ actor, query }) => requestCounts.report(actor, query),
    "GET /usage/overview": ({ actor, query }) => overviews.overview(actor, query.account),
    "GET /usage/reliability": ({ actor, query }) => reliability.report(actor, query),
  })
}
