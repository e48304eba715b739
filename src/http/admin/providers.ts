import { providerRoutes } from "#contract/catalog-routes.ts"
import type { Providers } from "../../management/providers.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/providers`: the accounts at vendors that models are called with. */
export function providerEndpoints({
  providers,
}: {
  readonly providers: Providers
}): AdminEndpoint[] {
  return endpoints(providerRoutes, {
    "GET /providers": ({ actor, query }) => providers.list(actor, query),
    "GET /providers/vendors": ({ actor }) => providers.vendors(actor),
    "POST /providers": ({ actor, body }) => providers.create(actor, body),
    "PATCH /providers/{id}": ({ actor, path, body }) => providers.change(actor, path("id"), body),
    "DELETE /providers/{id}": ({ actor, path }) => providers.remove(actor, path("id")),
    "POST /providers/{id}/test": ({ actor, path }) => providers.test(actor, path("id")),
  })
}
