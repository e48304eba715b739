import { noticeRoutes } from "#contract/notices.ts"
import { settingsRoutes } from "#contract/operations.ts"
import { systemRoutes } from "#contract/system.ts"
import type { ConsoleChanges } from "../../management/console-changes.ts"
import { IssuerManagement } from "../../management/issuers.ts"
import { NoticeManagement } from "../../management/notices.ts"
import { SettingsTests } from "../../management/settings-tests.ts"
import { GatewaySettings } from "../../management/settings.ts"
import { System } from "../../management/system.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"
import { OK, type OpenParts } from "./parts.ts"

/** `/admin/v1/settings`: the active and the changeable settings. `/admin/v1/ledger`: the verification of the ledger. */
export function settingsEndpoints(parts: OpenParts, changes: ConsoleChanges): AdminEndpoint[] {
  const gatewaySettings = new GatewaySettings({ ...parts, changes })
  const settingsTests = new SettingsTests(parts)
  const issuers = new IssuerManagement(changes)
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
export function systemEndpoints(parts: OpenParts): AdminEndpoint[] {
  const system = new System(parts)
  return endpoints(systemRoutes, {
    "GET /system": ({ actor }) => system.report(actor),
  })
}

/** `/admin/v1/notices`: the notices and their recipients. */
export function noticeEndpoints(parts: OpenParts): AdminEndpoint[] {
  const settings = () => parts.settings().notices
  const notices = new NoticeManagement({ ...parts, cipher: parts.noticeCipher, settings })
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
