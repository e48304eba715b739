import type { Account } from "tollgate-contract/accounts.ts"
import { creditsText, nanos } from "./credits.ts"
import { t } from "../languages/text.ts"

/** Balance in credits below which a request may cost more than the balance. */
const LOW_BALANCE = "0.01"

/** The next step: adding credits, or changing the account. */
type NextStep = "credits" | "account"

/** A state of an account in which requests are rejected. */
export interface AccountBlock {
  readonly title: string
  readonly text: string
  readonly step: NextStep
  /** Whether all requests are rejected, not only expensive ones. */
  readonly isComplete: boolean
}

/**
 * Returns the first reason for rejecting an account's requests, in the order of the checks; undefined without a reason.
 */
export function accountBlock(account: Account): AccountBlock | undefined {
  const { state, debt, balance } = account
  if (state === "paused") {
    return complete("account", t("This account is suspended"), t("All requests are rejected."))
  }
  if (state === "closed") {
    const text = t("All requests are rejected, and no keys can be created.")
    return complete("account", t("This account is closed"), text)
  }
  if (nanos(debt) > 0n) {
    const text = t(
      "A card payment was reversed after its credits had been spent. Requests are rejected until the debt is paid. New credits pay it off first.",
    )
    return complete(
      "credits",
      t("This account owes {debt} credits", { debt: creditsText(debt) }),
      text,
    )
  }
  if (nanos(balance) <= 0n) {
    return complete("credits", t("This account has no credits"), t("Requests are rejected."))
  }
  const budget = usedBudget(account)
  if (budget !== undefined) return budget
  if (nanos(balance) >= nanos(LOW_BALANCE)) return undefined
  return {
    title: t("This account has {balance} credits left", { balance: creditsText(balance) }),
    text: t("Requests that may cost more are rejected."),
    step: "credits",
    isComplete: false,
  }
}

function usedBudget(account: Account): AccountBlock | undefined {
  const budgets = [
    [
      account.daily_budget_left,
      t("The daily budget of this account is used up"),
      t("Requests are rejected until midnight UTC."),
    ],
    [
      account.monthly_budget_left,
      t("The monthly budget of this account is used up"),
      t("Requests are rejected until the first day of next month, UTC."),
    ],
  ] as const
  for (const [left, title, text] of budgets) {
    if (left === null || nanos(left) > 0n) continue
    return complete("account", title, text)
  }
  return undefined
}

function complete(step: NextStep, title: string, text: string): AccountBlock {
  return { title, text, step, isComplete: true }
}
