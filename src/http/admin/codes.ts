import { codeRoutes } from "#contract/codes.ts"
import type { Codes } from "../../management/codes.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/codes`: codes that give credits to the account that redeems them. */
export function codeEndpoints({ codes }: { readonly codes: Codes }): AdminEndpoint[] {
  return endpoints(codeRoutes, {
    "GET /codes": ({ actor, query }) => codes.list(actor, query),
    "POST /codes": ({ actor, body }) => codes.create(actor, body),
    "POST /codes/batch": ({ actor, body }) => codes.createBatch(actor, body),
    "POST /codes/{id}/revoke": ({ actor, path }) => codes.revoke(actor, path("id")),
  })
}
