import { noticeRoutes } from "#contract/notices.ts"
import { settingsRoutes } from "#contract/operations.ts"
import { systemRoutes } from "#contract/system.ts"
import type { IssuerManagement } from "../../management/issuers.ts"
import type { NoticeManagement } from "../../management/notices.ts"
import type { GatewaySettings } from "../../management/settings.ts"
import type { SettingsTests } from "../../management/settings-tests.ts"
import type { System } from "../../management/system.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/settings`: the active and the changeable settings. `/admin/v1/ledger`: the verification of the ledger. */
export function settingsEndpoints({
  gatewaySettings,
  settingsTests,
  issuers,
}: {
  readonly gatewaySettings: GatewaySettings
  readonly settingsTests: SettingsTests
  readonly issuers: IssuerManagement
}): AdminEndpoint[] {
  return endpoints(settingsRoutes, {
    "GET /settings": ({ actor }) => gatewaySettings.view(actor),
    "PATCH /settings": ({ actor, body }) => gatewaySettings.change(actor, body),
    "POST /settings/email/test": ({ actor, body }) => settingsTests.mail(actor, body.address),
    "POST /settings/stripe/test": ({ actor }) => settingsTests.stripe(actor),
    "GET /settings/issuers": ({ actor }) => issuers.list(actor),
    "PUT /settings/issuers/{id}": ({ actor, path, body }) => issuers.put(actor, path("id"), body),
    "DELETE /settings/issuers/{id}": ({ actor, path }) => issuers.remove(actor, path("id")),
    "POST /settings/issuers/{id}/test": ({ actor, path }) =>
      settingsTests.issuer(actor, path("id")),
    "GET /ledger/verification": ({ actor }) => gatewaySettings.verifyLedger(actor),
  })
}

/** `/admin/v1/system`: the state of the gateway itself. */
export function systemEndpoints({ system }: { readonly system: System }): AdminEndpoint[] {
  return endpoints(systemRoutes, {
    "GET /system": ({ actor }) => system.report(actor),
  })
}

const OK = { ok: true } as const

/** `/admin/v1/notices`: the notices and their recipients. */
export function noticeEndpoints({
  notices,
}: {
  readonly notices: NoticeManagement
}): AdminEndpoint[] {
  return endpoints(noticeRoutes, {
    "GET /notices/targets": ({ actor, query }) => notices.targets(actor, query.account),
    "POST /notices/targets": ({ actor, body }) => notices.add(actor, body),
    "DELETE /notices/targets/{id}": async ({ actor, path }) => {
      await notices.remove(actor, path("id"))
      return OK
    },
    "POST /notices/targets/{id}/test": async ({ actor, path }) => {
      await notices.test(actor, path("id"))
      return OK
    },
    "GET /notices": ({ actor, query }) => notices.list(actor, query),
  })
}
