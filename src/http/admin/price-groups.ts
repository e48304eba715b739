import { priceGroupRoutes } from "#contract/price-groups.ts"
import type { PriceGroupManagement } from "../../management/price-groups.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/price-groups`: accounts with prices of their own. */
export function priceGroupEndpoints(groups: PriceGroupManagement): AdminEndpoint[] {
  return endpoints(priceGroupRoutes, {
    "GET /price-groups": ({ actor, query }) => groups.list(actor, query),
    "POST /price-groups": ({ actor, body }) => groups.create(actor, body),
    "GET /price-groups/{id}": ({ actor, path }) => groups.find(actor, path("id")),
    "PATCH /price-groups/{id}": ({ actor, path, body }) => groups.change(actor, path("id"), body),
    "DELETE /price-groups/{id}": ({ actor, path }) => groups.delete(actor, path("id")),
  })
}
