import { billingGapRoutes } from "#contract/billing-gaps.ts"
import { reconciliationRoutes } from "#contract/reconciliations.ts"
import { writeOffRoutes } from "#contract/write-offs.ts"
import type { BillingGapReports } from "../../management/billing-gaps.ts"
import type { Reconciliations } from "../../management/reconciliation/reconciliations.ts"
import type { WriteOffs } from "../../management/write-offs.ts"
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

/** `/admin/v1/write-offs`: costs of requests that were not charged. */
export function writeOffEndpoints({
  writeOffs,
}: {
  readonly writeOffs: WriteOffs
}): AdminEndpoint[] {
  return endpoints(writeOffRoutes, {
    "GET /write-offs": ({ actor, query }) => writeOffs.list(actor, query),
  })
}

/** `/admin/v1/reconciliations`: the latest comparison with each provider's bill. */
export function reconciliationEndpoints({
  reconciliations,
}: {
  readonly reconciliations: Reconciliations
}): AdminEndpoint[] {
  return endpoints(reconciliationRoutes, {
    "GET /reconciliations": ({ actor }) => reconciliations.list(actor),
  })
}
