import type { Account } from "tollgate-contract/accounts.ts"
import { creditsText, nanos } from "./credits.ts"

/** Below this balance, requests may cost more than is left. In credits. */
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

/** Returns the reason for which requests of an account are rejected, in the order of the checks; undefined if none is. */
export function accountBlock(account: Account): AccountBlock | undefined {
  const { state, debt, balance } = account
  if (state === "paused") {
    return complete("account", "This account is suspended", "All requests are rejected.")
  }
  if (state === "closed") {
    const text = "All requests are rejected, and no keys can be created."
    return complete("account", "This account is closed", text)
  }
  if (nanos(debt) > 0n) {
    const text =
      "A card payment was reversed after its credits had been spent. Requests are rejected until the debt is paid. New credits pay it off first."
    return complete("credits", `This account owes ${creditsText(debt)} credits`, text)
  }
  if (nanos(balance) <= 0n) {
    return complete("credits", "This account has no credits", "Requests are rejected.")
  }
  const budget = usedBudget(account)
  if (budget !== undefined) return budget
  if (nanos(balance) >= nanos(LOW_BALANCE)) return undefined
  return {
    title: `This account has ${creditsText(balance)} credits left`,
    text: "Requests that may cost more are rejected.",
    step: "credits",
    isComplete: false,
  }
}

function usedBudget(account: Account): AccountBlock | undefined {
  const budgets = [
    ["daily", account.daily_budget_left, "midnight UTC"],
    ["monthly", account.monthly_budget_left, "the first day of next month, UTC"],
  ] as const
  for (const [name, left, end] of budgets) {
    if (left === null || nanos(left) > 0n) continue
    const title = `The ${name} budget of this account is used up`
    return complete("account", title, `Requests are rejected until ${end}.`)
  }
  return undefined
}

function complete(step: NextStep, title: string, text: string): AccountBlock {
  return { title, text, step, isComplete: true }
}
