import { usageRoutes } from "tollgate-contract/usage.ts"
import type { UsageReports } from "../../management/usage.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/usage`: what was used, and what it cost. */
export function usageEndpoints({
  usageReports,
}: {
  readonly usageReports: UsageReports
}): AdminEndpoint[] {
  return endpoints(usageRoutes, {
    "GET /usage": ({ actor, query }) => usageReports.usage(actor, query),
    "GET /usage/overview": ({ actor, query }) => usageReports.overview(actor, query.account),
  })
}
