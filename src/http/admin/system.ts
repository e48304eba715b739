import { systemRoutes } from "#contract/system.ts"
import type { System } from "../../management/system.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/system`: how the gateway itself is doing. */
export function systemEndpoints({ system }: { readonly system: System }): AdminEndpoint[] {
  return endpoints(systemRoutes, {
    "GET /system": ({ actor }) => system.report(actor),
  })
}
