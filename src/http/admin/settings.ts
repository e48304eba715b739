import { bookVerdict, settingsChange, settingsView } from "tollgate-contract/operations.ts"
import type { GatewaySettings } from "../../management/settings.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/settings`: what is in force, and what of it the console can change. */
export function settingsEndpoints({
  gatewaySettings,
}: {
  readonly gatewaySettings: GatewaySettings
}): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/settings",
      summary: "The settings in force, and those that can be changed here",
      least: "operator",
      answer: settingsView,
      handle: ({ actor }) => gatewaySettings.view(actor),
    }),
    endpoint({
      method: "PATCH",
      path: "/settings",
      summary: "Change settings; null goes back to the default",
      least: "operator",
      body: settingsChange,
      answer: settingsView,
      handle: ({ actor, body }) => gatewaySettings.change(actor, body),
    }),
    endpoint({
      method: "GET",
      path: "/settings/book",
      summary: "Walk every account's book and look for what is wrong",
      least: "operator",
      answer: bookVerdict,
      handle: ({ actor }) => gatewaySettings.verifyBook(actor),
    }),
  ]
}
