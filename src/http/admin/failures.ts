import { failureRoutes } from "#contract/failures.ts"
import type { Failures } from "../../management/failures.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/requests/{request}` and `/admin/v1/failures`: what became of requests, also of those without a receipt. */
export function failureEndpoints({ failures }: { readonly failures: Failures }): AdminEndpoint[] {
  return endpoints(failureRoutes, {
    "GET /requests/{request}": ({ actor, path }) => failures.request(actor, path("request")),
    "GET /failures": ({ actor, query }) => failures.list(actor, query),
  })
}
