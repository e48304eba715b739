import { accountRoutes, creditRoutes } from "#contract/accounts.ts"
import { codeRoutes } from "#contract/codes.ts"
import { keyRoutes } from "#contract/keys.ts"
import { labelBudgetRoutes } from "#contract/label-budgets.ts"
import { memberKeyRoutes } from "#contract/member-keys.ts"
import type { Accounts } from "../../management/accounts.ts"
import type { Codes } from "../../management/codes.ts"
import type { Credits } from "../../management/credits.ts"
import type { Keys } from "../../management/keys.ts"
import type { LabelBudgetManagement } from "../../management/label-budgets.ts"
import type { MemberKeyManagement } from "../../management/member-keys.ts"
import type { Payments } from "../../management/payments.ts"
import type { Redemptions } from "../../management/redemptions.ts"
import type { Statements } from "../../management/statements.ts"
import { downloadAnswer } from "./download-answer.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

export interface AccountServices {
  readonly accounts: Accounts
  readonly payments: Payments
}

/** `/admin/v1/accounts`: the accounts that pay for requests. */
export function accountEndpoints({ accounts, payments }: AccountServices): AdminEndpoint[] {
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

/** `/admin/v1/codes`: codes that add credits to the account that redeems them. */
export function codeEndpoints({ codes }: { readonly codes: Codes }): AdminEndpoint[] {
  return endpoints(codeRoutes, {
    "GET /codes": ({ actor, query }) => codes.list(actor, query),
    "POST /codes": ({ actor, body }) => codes.create(actor, body),
    "POST /codes/batch": ({ actor, body }) => codes.createBatch(actor, body),
    "POST /codes/{id}/revoke": ({ actor, path }) => codes.revoke(actor, path("id")),
  })
}

export interface CreditServices {
  readonly credits: Credits
  readonly redemptions: Redemptions
  readonly statements: Statements
}

/** `/admin/v1/accounts/{id}/...`: the ledger of an account. */
export function creditEndpoints({
  credits,
  redemptions,
  statements,
}: CreditServices): AdminEndpoint[] {
  return endpoints(creditRoutes, {
    "GET /accounts/{id}/credits": ({ actor, path }) => credits.credits(actor, path("id")),
    "GET /accounts/{id}/entries": ({ actor, path, query }) =>
      credits.entries(actor, path("id"), query),
    "POST /accounts/{id}/entries": ({ actor, path, body }) => credits.add(actor, path("id"), body),
    "POST /accounts/{id}/redeem": ({ actor, path, body }) =>
      redemptions.redeem(actor, path("id"), body.code),
    "GET /statements": async ({ actor, query }) =>
      downloadAnswer(await statements.openAll(actor, query)),
    "GET /accounts/{id}/statement": async ({ actor, path, query }) =>
      downloadAnswer(await statements.open(actor, path("id"), query)),
  })
}

/** `/admin/v1/accounts/{id}/member-keys`: the rules for keys that members create. */
export function memberKeyEndpoints(memberKeys: MemberKeyManagement): AdminEndpoint[] {
  return endpoints(memberKeyRoutes, {
    "GET /accounts/{id}/member-keys": ({ actor, path }) => memberKeys.find(actor, path("id")),
    "PUT /accounts/{id}/member-keys": ({ actor, path, body }) =>
      memberKeys.change(actor, path("id"), body),
  })
}

/** `/admin/v1/accounts/{id}/label-budgets`: the budgets of end users and tags. */
export function labelBudgetEndpoints(labelBudgets: LabelBudgetManagement): AdminEndpoint[] {
  return endpoints(labelBudgetRoutes, {
    "GET /accounts/{id}/label-budgets": ({ actor, path }) => labelBudgets.find(actor, path("id")),
    "PUT /accounts/{id}/label-budgets": ({ actor, path, body }) =>
      labelBudgets.change(actor, path("id"), body),
    "GET /accounts/{id}/label-budgets/spent": ({ actor, path, query }) =>
      labelBudgets.spent(actor, path("id"), query),
  })
}
