import { priceRoutes } from "#contract/prices.ts"
import { requireOperator } from "../../management/actor.ts"
import type { PriceUpdates } from "../../management/prices/price-updates.ts"
import { priceView } from "../../management/prices/price-view.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/prices`: which list of known prices is in force, and which one waits. */
export function priceEndpoints({
  priceUpdates,
}: {
  readonly priceUpdates: PriceUpdates
}): AdminEndpoint[] {
  return endpoints(priceRoutes, {
    "GET /prices": async ({ actor }) => {
      requireOperator(actor)
      return priceView(await priceUpdates.lists())
    },
    "POST /prices/apply": async ({ actor, body }) => {
      await priceUpdates.apply(actor, body.date)
      return priceView(await priceUpdates.lists())
    },
  })
}
