import type { Accounts } from "../../management/accounts.ts"
import {
  account,
  accountChange,
  accountPage,
  checkout,
  checkoutAnswer,
  newAccount,
} from "tollgate-contract/accounts.ts"
import { pageQuery } from "tollgate-contract/common.ts"
import type { Payments } from "../../management/payments.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

export interface AccountServices {
  readonly accounts: Accounts
  readonly payments: Payments
}

/** `/admin/v1/accounts`: who pays. Their books are in credits.ts. */
export function accountEndpoints({ accounts, payments }: AccountServices): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/accounts",
      summary: "The accounts that you may see, the oldest first",
      least: "session",
      query: pageQuery,
      answer: accountPage,
      handle: ({ actor, query }) => accounts.list(actor, query),
    }),
    endpoint({
      method: "POST",
      path: "/accounts",
      summary: "Create an account",
      least: "operator",
      body: newAccount,
      answer: account,
      handle: ({ actor, body }) => accounts.create(actor, body),
    }),
    endpoint({
      method: "GET",
      path: "/accounts/{id}",
      summary: "One account",
      least: "viewer",
      answer: account,
      handle: ({ actor, path }) => accounts.find(actor, path.id),
    }),
    endpoint({
      method: "PATCH",
      path: "/accounts/{id}",
      summary: "Rename an account, or change whether its prompts and answers are kept",
      least: "operator",
      body: accountChange,
      answer: account,
      handle: ({ actor, path, body }) => accounts.change(actor, path.id, body),
    }),
    endpoint({
      method: "POST",
      path: "/accounts/{id}/checkout",
      summary: "A page of Stripe to pay for credits on",
      least: "member",
      body: checkout,
      answer: checkoutAnswer,
      handle: ({ actor, path, body }) => payments.checkout(actor, path.id, body.credits),
    }),
  ]
}
