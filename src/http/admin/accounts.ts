import { accountRoutes, creditRoutes } from "#contract/accounts.ts"
import { codeRoutes } from "#contract/codes.ts"
import { keyRoutes } from "#contract/keys.ts"
import { labelBudgetRoutes } from "#contract/label-budgets.ts"
import { memberKeyRoutes } from "#contract/member-keys.ts"
import { AccountUsage } from "../../management/account-usage.ts"
import { Accounts } from "../../management/accounts.ts"
import { Codes } from "../../management/codes.ts"
import { Credits } from "../../management/credits.ts"
import { Keys, type KeyUses } from "../../management/keys.ts"
import { LabelBudgetManagement } from "../../management/label-budgets.ts"
import { MemberKeyManagement } from "../../management/member-keys.ts"
import type { Payments } from "../../management/payments.ts"
import { Redemptions } from "../../management/redemptions.ts"
import { Statements } from "../../management/statements.ts"
import { downloadResponse } from "./download-response.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"
import type { OpenParts } from "./parts.ts"

/** `/admin/v1/accounts`: the accounts that pay for requests. */
export function accountEndpoints(parts: OpenParts, payments: Payments): AdminEndpoint[] {
  const { store, audit, settings, live, reports, events } = parts
  const accounts = new Accounts(store, audit, {
    changed: () => keysChanged(parts),
    templates: () => settings().accountTemplates ?? {},
    usage: new AccountUsage(reports),
    warn: events.warning,
    hasPriceGroup: async (id) => {
      await live.refresh()
      return Object.hasOwn(settings().priceGroups ?? {}, id)
    },
  })
  return endpoints(accountRoutes, {
    "GET /accounts": ({ actor, query }) => accounts.list(actor, query),
    "POST /accounts": ({ actor, body }) => accounts.create(actor, body),
    "GET /accounts/{id}": ({ actor, path }) => accounts.find(actor, path("id")),
    "PATCH /accounts/{id}": ({ actor, path, body }) => accounts.change(actor, path("id"), body),
    "POST /accounts/{id}/checkout": ({ actor, path, body }) =>
      payments.checkout(actor, path("id"), body.credits),
  })
}

/** `/admin/v1/keys`: the API keys of callers. */
export function keyEndpoints(parts: OpenParts): AdminEndpoint[] {
  const { store, audit, hasher } = parts
  const changed = () => keysChanged(parts)
  const keys = new Keys(store, audit, hasher, { uses: usesOf(parts), changed })
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

/** `/admin/v1/codes`: codes that add credits to the account that redeems them. */
export function codeEndpoints({ store, audit, hasher }: OpenParts): AdminEndpoint[] {
  const codes = new Codes(store, audit, hasher)
  return endpoints(codeRoutes, {
    "GET /codes": ({ actor, query }) => codes.list(actor, query),
    "POST /codes": ({ actor, body }) => codes.create(actor, body),
    "POST /codes/batch": ({ actor, body }) => codes.createBatch(actor, body),
    "POST /codes/{id}/revoke": ({ actor, path }) => codes.revoke(actor, path("id")),
  })
}

/** `/admin/v1/accounts/{id}/...`: the ledger of an account. */
export function creditEndpoints(parts: OpenParts): AdminEndpoint[] {
  const { store, audit, statementLines } = parts
  const credits = new Credits(store, audit)
  const redemptions = new Redemptions(parts)
  const statements = new Statements(store, statementLines)
  return endpoints(creditRoutes, {
    "GET /accounts/{id}/credits": ({ actor, path }) => credits.credits(actor, path("id")),
    "GET /accounts/{id}/entries": ({ actor, path, query }) =>
      credits.entries(actor, path("id"), query),
    "POST /accounts/{id}/entries": ({ actor, path, body }) => credits.add(actor, path("id"), body),
    "POST /accounts/{id}/redeem": ({ actor, path, body }) =>
      redemptions.redeem(actor, path("id"), body.code),
    "GET /statements": async ({ actor, query }) =>
      downloadResponse(await statements.openAll(actor, query)),
    "GET /accounts/{id}/statement": async ({ actor, path, query }) =>
      downloadResponse(await statements.open(actor, path("id"), query)),
  })
}

/** `/admin/v1/accounts/{id}/member-keys`: the rules for keys that members create. */
export function memberKeyEndpoints({ store, audit }: OpenParts): AdminEndpoint[] {
  const memberKeys = new MemberKeyManagement(store, audit)
  return endpoints(memberKeyRoutes, {
    "GET /accounts/{id}/member-keys": ({ actor, path }) => memberKeys.find(actor, path("id")),
    "PUT /accounts/{id}/member-keys": ({ actor, path, body }) =>
      memberKeys.change(actor, path("id"), body),
  })
}

/** `/admin/v1/accounts/{id}/label-budgets`: the budgets of end users and tags. */
export function labelBudgetEndpoints(parts: OpenParts): AdminEndpoint[] {
  const { store, audit } = parts
  const labelBudgets = new LabelBudgetManagement(store, audit, () => keysChanged(parts))
  return endpoints(labelBudgetRoutes, {
    "GET /accounts/{id}/label-budgets": ({ actor, path }) => labelBudgets.find(actor, path("id")),
    "PUT /accounts/{id}/label-budgets": ({ actor, path, body }) =>
      labelBudgets.change(actor, path("id"), body),
    "GET /accounts/{id}/label-budgets/spent": ({ actor, path, query }) =>
      labelBudgets.spent(actor, path("id"), query),
  })
}

/**
 * Announces changed keys to all processes of this machine before their next request. If this fails, the next change
 * announces them too.
 */
async function keysChanged({ keyring, events }: OpenParts): Promise<void> {
  try {
    await keyring.changed()
  } catch (error) {
    events.nodeFailed(error)
  }
}

/**
 * Returns when keys were used. If the lookup fails, only this information is omitted, because the response may contain
 * a secret that is shown only once.
 */
function usesOf({ reports, events }: OpenParts): KeyUses {
  return async (ids) => {
    try {
      const uses = await (await reports.upToDate()).keyUses(ids)
      return new Map(uses.map((use) => [use.key, use]))
    } catch (error) {
      events.warning(`cannot read the use of keys: ${String(error)}`)
      return new Map()
    }
  }
}
