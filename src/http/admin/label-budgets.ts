import { labelBudgetRoutes } from "#contract/label-budgets.ts"
import type { LabelBudgetManagement } from "../../management/label-budgets.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/accounts/{id}/label-budgets`: what end users and tags may spend. */
export function labelBudgetEndpoints(labelBudgets: LabelBudgetManagement): AdminEndpoint[] {
  return endpoints(labelBudgetRoutes, {
    "GET /accounts/{id}/label-budgets": ({ actor, path }) => labelBudgets.find(actor, path("id")),
    "PUT /accounts/{id}/label-budgets": ({ actor, path, body }) =>
      labelBudgets.change(actor, path("id"), body),
    "GET /accounts/{id}/label-budgets/spent": ({ actor, path, query }) =>
      labelBudgets.spent(actor, path("id"), query),
  })
}
