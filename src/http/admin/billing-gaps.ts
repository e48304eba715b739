import { billingGapRoutes } from "#contract/billing-gaps.ts"
import type { BillingGapReports } from "../../management/billing-gaps.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/billing-gaps`: differences between charges and provider bills. */
export function billingGapEndpoints({
  billingGaps,
}: {
  readonly billingGaps: BillingGapReports
}): AdminEndpoint[] {
  return endpoints(billingGapRoutes, {
    "GET /billing-gaps": ({ actor, query }) => billingGaps.report(actor, query),
  })
}
