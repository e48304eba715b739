import { keyRoutes } from "#contract/keys.ts"
import type { Keys } from "../../management/keys.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/keys`: what callers send. */
export function keyEndpoints({ keys }: { readonly keys: Keys }): AdminEndpoint[] {
  return endpoints(keyRoutes, {
    "GET /keys": ({ actor, query }) => keys.list(actor, query),
    "POST /keys": ({ actor, body }) => keys.create(actor, body),
    "GET /keys/{id}": ({ actor, path }) => keys.find(actor, path("id")),
    "PATCH /keys/{id}": ({ actor, path, body }) => keys.change(actor, path("id"), body),
    "POST /keys/{id}/rotate": ({ actor, path, body }) =>
      keys.rotate(actor, path("id"), body.grace_seconds * 1_000),
    "POST /keys/{id}/revoke": ({ actor, path }) => keys.revoke(actor, path("id")),
  })
}
