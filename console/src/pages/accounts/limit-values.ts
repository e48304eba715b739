import type { Account, AccountChange } from "tollgate-contract/accounts.ts"
import { creditsText, readCredits } from "../../format/credits.ts"
import { joined } from "../../format/lists.ts"
import { countText } from "../../format/numbers.ts"
import { t } from "../../languages/text.ts"

/** The numeric limits of an account, with their labels in the form. */
export const ACCOUNT_LIMITS = [
  { name: "requests_per_minute", label: t("Requests per minute"), least: 1 },
  { name: "tokens_per_minute", label: t("Tokens per minute"), least: 1 },
  { name: "concurrent_requests", label: t("Requests at the same time"), least: 1 },
  { name: "max_keys", label: t("Keys that are not revoked"), least: 0 },
  { name: "max_invitations", label: t("Pending invitations"), least: 0 },
  {
    name: "max_hourly_spend_ratio",
    label: t("Pause when hourly spend exceeds (× usual)"),
    least: 2,
  },
] as const

export type AccountLimitName = (typeof ACCOUNT_LIMITS)[number]["name"]

/** The spending limits of an account. */
export const ACCOUNT_BUDGETS = [
  { name: "daily_budget", left: "daily_budget_left", label: t("Credits a day") },
  { name: "monthly_budget", left: "monthly_budget_left", label: t("Credits a month") },
] as const

type AccountBudgetName = (typeof ACCOUNT_BUDGETS)[number]["name"]

/** The form's values as text, under the API's names so that errors match their fields. */
export type LimitValues = Record<AccountLimitName | AccountBudgetName, string> & {
  models: string[]
}

export function limitValuesOf(account: Account): LimitValues {
  return {
    models: [...(account.models ?? [])],
    requests_per_minute: account.requests_per_minute?.toString() ?? "",
    tokens_per_minute: account.tokens_per_minute?.toString() ?? "",
    concurrent_requests: account.concurrent_requests?.toString() ?? "",
    max_keys: account.max_keys?.toString() ?? "",
    max_invitations: account.max_invitations?.toString() ?? "",
    max_hourly_spend_ratio: account.max_hourly_spend_ratio?.toString() ?? "",
    daily_budget: account.daily_budget ?? "",
    monthly_budget: account.monthly_budget ?? "",
  }
}

/** Returns the error of a limit; null if the limit is valid. */
export function checkLimit(value: string, least: number): string | null {
  const whole = wholeOf(value)
  if (whole === null || (whole !== undefined && whole >= least)) return null
  if (least === 0) return t("Enter a whole number")
  return least === 1
    ? t("Enter a whole number above zero")
    : t("Enter a whole number of at least {least}", { least })
}

/** Builds the API body from validated values. Null means no limit. */
export function limitBodyOf(values: LimitValues): AccountChange {
  const models = values.models.flatMap((text) => text.split(/[,\s]+/)).filter((part) => part !== "")
  const limits = ACCOUNT_LIMITS.map(({ name }) => [name, wholeOf(values[name]) ?? null] as const)
  const budgets = ACCOUNT_BUDGETS.map(
    ({ name }) => [name, readCredits(values[name]) ?? null] as const,
  )
  return {
    models: models.length === 0 ? null : models,
    ...Object.fromEntries([...limits, ...budgets]),
  }
}

/** Returns null for an empty field, and undefined for text that is not a whole number. */
function wholeOf(value: string): number | null | undefined {
  const digits = value.replace(/[\s,_]/g, "")
  if (digits === "") return null
  return /^\d{1,10}$/.test(digits) ? Number(digits) : undefined
}

/** Describes the limits of an account; empty if there are no limits. */
export function limitTexts(account: Account): { label: string; value: string }[] {
  const { models } = account
  return [
    ...(models === null ? [] : [{ label: t("Models"), value: joined(models) }]),
    ...ACCOUNT_LIMITS.flatMap(({ name, label }) => {
      const limit = account[name]
      return limit === null ? [] : [{ label, value: countText(limit) }]
    }),
    ...ACCOUNT_BUDGETS.flatMap(({ name, left, label }) => {
      const budget = account[name]
      if (budget === null) return []
      const value = t("{budget}, {left} left", {
        budget: creditsText(budget),
        left: creditsText(account[left] ?? "0"),
      })
      return [{ label, value }]
    }),
  ]
}
