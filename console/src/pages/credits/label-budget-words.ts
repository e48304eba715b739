import type { LabelBudget } from "tollgate-contract/label-budgets.ts"
import { readCredits } from "../../format/credits.ts"
import { t } from "../../languages/text.ts"

const ANY = "*"

/** The kinds of budget owners, as the form offers them. */
export const TARGETS = [
  { value: "users", label: t("Each end user") },
  { value: "user", label: t("One end user") },
  { value: "values", label: t("Each value of a tag") },
  { value: "value", label: t("One value of a tag") },
] as const

export type Target = (typeof TARGETS)[number]["value"]

export interface BudgetValues {
  target: Target
  user: string
  tag: string
  value: string
  daily_budget: string
  monthly_budget: string
}

export const NO_BUDGET: BudgetValues = {
  target: "users",
  user: "",
  tag: "",
  value: "",
  daily_budget: "",
  monthly_budget: "",
}

/** Builds a budget from validated form values. */
export function budgetOf({ target, user, tag, value, ...amounts }: BudgetValues): LabelBudget {
  const isUser = target === "user" || target === "users"
  const named = target === "value" ? value.trim() : ANY
  return {
    user: isUser ? (target === "user" ? user.trim() : ANY) : null,
    tag: isUser ? null : `${tag.trim()}=${named}`,
    daily_budget: readCredits(amounts.daily_budget) ?? null,
    monthly_budget: readCredits(amounts.monthly_budget) ?? null,
  }
}

/** Adds a budget. It replaces the previous budget of the same user or tag. */
export function withBudget(budgets: readonly LabelBudget[], added: LabelBudget): LabelBudget[] {
  return [...withoutBudget(budgets, added), added]
}

export function withoutBudget(budgets: readonly LabelBudget[], gone: LabelBudget): LabelBudget[] {
  return budgets.filter(({ user, tag }) => user !== gone.user || tag !== gone.tag)
}

/** Describes the scope of a budget: `each end user`, `end user alice`, `tag feature=search`. */
export function labelText({ user, tag }: Pick<LabelBudget, "user" | "tag">): string {
  if (user === ANY) return t("each end user")
  if (user !== null) return t("end user {user}", { user })
  const [name = "", value] = (tag ?? "").split("=")
  return value === ANY ? t("each value of {name}", { name }) : t("tag {tag}", { tag: tag ?? "" })
}
