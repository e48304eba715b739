import { reconciliationRoutes } from "#contract/reconciliations.ts"
import type { Reconciliations } from "../../management/reconciliation/reconciliations.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/reconciliations`: the last comparison with each provider's bill. */
export function reconciliationEndpoints({
  reconciliations,
}: {
  readonly reconciliations: Reconciliations
}): AdminEndpoint[] {
  return endpoints(reconciliationRoutes, {
    "GET /reconciliations": ({ actor }) => reconciliations.list(actor),
  })
}
