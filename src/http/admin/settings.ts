import { settingsRoutes } from "#contract/operations.ts"
import type { GatewaySettings } from "../../management/settings.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/settings`: what is active, and what of it the console can change. */
export function settingsEndpoints({
  gatewaySettings,
}: {
  readonly gatewaySettings: GatewaySettings
}): AdminEndpoint[] {
  return endpoints(settingsRoutes, {
    "GET /settings": ({ actor }) => gatewaySettings.view(actor),
    "PATCH /settings": ({ actor, body }) => gatewaySettings.change(actor, body),
    "GET /settings/book": ({ actor }) => gatewaySettings.verifyLedger(actor),
  })
}
