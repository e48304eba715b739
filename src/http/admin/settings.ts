import { settingsRoutes } from "#contract/operations.ts"
import type { GatewaySettings } from "../../management/settings.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/settings`, the active and the changeable settings; `/admin/v1/ledger`. */
export function settingsEndpoints({
  gatewaySettings,
}: {
  readonly gatewaySettings: GatewaySettings
}): AdminEndpoint[] {
  return endpoints(settingsRoutes, {
    "GET /settings": ({ actor }) => gatewaySettings.view(actor),
    "PATCH /settings": ({ actor, body }) => gatewaySettings.change(actor, body),
    "GET /ledger/verification": ({ actor }) => gatewaySettings.verifyLedger(actor),
  })
}
