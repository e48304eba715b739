import * as z from "zod"
import { credits, isPrintable, moment, page, pageQuery, positiveCredits } from "./common.ts"
import { route } from "./route.ts"

const MAX_BUDGETS = 100
const text = (longest: number) =>
  z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(longest, `must have at most ${longest} characters`)
    .refine(isPrintable, "must not contain control characters or unpaired surrogates")

/** A tag and its value, as in `x-tollgate-tags`. */
const tag = text(193).regex(/^[^=]{1,64}=[^=].{0,127}$/, "must be 'name=value'")

/**
 * Daily and monthly spending limits (UTC) for all requests of an end user or with a tag. An exact name takes precedence
 * over `*`: `"user": "*"` applies to each user, and `"tag": "team=*"` to each value of the tag.
 */
const labelBudget = z
  .strictObject({
    user: text(128).nullable().default(null),
    tag: tag.nullable().default(null),
    daily_budget: positiveCredits.nullable().default(null),
    monthly_budget: positiveCredits.nullable().default(null),
  })
  .refine((budget) => (budget.user === null) !== (budget.tag === null), {
    error: "must have either 'user' or 'tag'",
  })
  .refine((budget) => budget.daily_budget !== null || budget.monthly_budget !== null, {
    error: "must have 'daily_budget' or 'monthly_budget'",
    path: ["daily_budget"],
  })
export type LabelBudget = z.infer<typeof labelBudget>

/** All label budgets of an account, without duplicates. */
export const labelBudgets = z.strictObject({
  budgets: z
    .array(labelBudget)
    .max(MAX_BUDGETS)
    .refine(
      (budgets) =>
        new Set(budgets.map(({ user, tag: named }) => `${user} ${named}`)).size === budgets.length,
      "must not name a user or a tag twice",
    ),
})
export type LabelBudgets = z.infer<typeof labelBudgets>

/** The spending against one budget in the current day or month. */
const labelSpending = z.object({
  user: z.string().nullable(),
  tag: z.string().nullable(),
  period: z.enum(["day", "month"]),
  spent: credits,
  left: credits,
  resets_at: moment,
})
export type LabelSpending = z.infer<typeof labelSpending>

/**
 * `/admin/v1/accounts/{id}/label-budgets`: spending limits for end users and tags of an account.
 */
export const labelBudgetRoutes = {
  "GET /accounts/{id}/label-budgets": route({
    summary: "List the budgets of an account's end users and tags",
    minimumRole: "viewer",
    response: labelBudgets,
  }),
  "PUT /accounts/{id}/label-budgets": route({
    summary: "Replace the budgets of an account's end users and tags",
    minimumRole: "owner",
    body: labelBudgets,
    response: labelBudgets,
  }),
  "GET /accounts/{id}/label-budgets/spent": route({
    summary: "Get the spend of these budgets today and this month",
    minimumRole: "viewer",
    query: pageQuery.extend({ cursor: z.string().max(4_000).optional() }),
    response: page(labelSpending),
  }),
}
