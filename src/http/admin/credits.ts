import { creditRoutes } from "#contract/accounts.ts"
import type { Credits } from "../../management/credits.ts"
import type { Redemptions } from "../../management/redemptions.ts"
import type { Statements } from "../../management/statements.ts"
import { downloadAnswer } from "./download-answer.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

export interface CreditServices {
  readonly credits: Credits
  readonly redemptions: Redemptions
  readonly statements: Statements
}

/** `/admin/v1/accounts/{id}/...`: the ledger of an account, and what goes into it. */
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
    "GET /accounts/{id}/statement": async ({ actor, path, query }) =>
      downloadAnswer(await statements.open(actor, path("id"), query)),
  })
}
