import * as z from "zod"
import { glob, positiveCredits } from "./common.ts"
import { route } from "./route.ts"

/** Maximum budget of a key; null means that keys need no budget of this kind. */
const maxBudget = positiveCredits.nullable().default(null)

/** Rules for keys that members of an account create and change. Owners and operators are not restricted. */
export const memberKeyRules = z.strictObject({
  /**
   * Whether members may create keys, raise the budgets of their keys and add models to them. Members can always pause,
   * rotate and revoke the keys that they created.
   */
  may_create: z.boolean().default(true),
  /** Globs of the models that members may select for their keys; null means all models. */
  models: z.array(glob).min(1).max(100).nullable().default(null),
  max_budget: maxBudget,
  max_daily_budget: maxBudget,
  max_monthly_budget: maxBudget,
})
export type MemberKeyRules = z.infer<typeof memberKeyRules>

/** `/admin/v1/accounts/{id}/member-keys`: the keys that members of an account may create. */
export const memberKeyRoutes = {
  "GET /accounts/{id}/member-keys": route({
    summary: "Get the rules for keys that members create",
    minimumRole: "viewer",
    response: memberKeyRules,
  }),
  "PUT /accounts/{id}/member-keys": route({
    summary: "Set whether members may create keys, and their maximum budgets and models",
    minimumRole: "owner",
    body: memberKeyRules,
    response: memberKeyRules,
  }),
}
