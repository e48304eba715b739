import { accountRoutes } from "#contract/accounts.ts"
import type { Accounts } from "../../management/accounts.ts"
import type { Payments } from "../../management/payments.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

export interface AccountServices {
  readonly accounts: Accounts
  readonly payments: Payments
}

/** `/admin/v1/accounts`: who pays. Their ledgers are in credits.ts. */
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
