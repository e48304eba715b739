import { isLargeEntry } from "tollgate-contract/amounts.ts"
import { creditsText, nanos } from "../../format/credits.ts"
import type { Question } from "../../ui/question.ts"
import { t } from "../../languages/text.ts"

export interface LargeAmountFacts {
  /** The amount in the API's form; undefined if no amount is typed. */
  readonly amount: string | undefined
  /** The account's balance; absent if there is no balance to compare with. */
  readonly balance?: string | undefined
  /** Number of times that the amount can be granted, such as the redemptions of a code; once if absent. */
  readonly times?: number
  /** Returns the title of the dialog, which begins with a verb: "Grant", "Take", "Begin Acme with". */
  readonly title: (credits: string) => string
}

/** Returns the confirmation for an unusually large amount; undefined for a usual amount. */
export function largeAmountQuestion(facts: LargeAmountFacts): Question | undefined {
  const { amount, balance = "0", times = 1, title } = facts
  if (amount === undefined) return undefined
  const whole = nanos(amount) * BigInt(times)
  if (!isLargeEntry(whole, nanos(balance))) return undefined
  const credits = t("{amount} credits", { amount: creditsText(amount.replace(/^-/, "")) })
  return {
    title: title(credits),
    text:
      balance === "0"
        ? t("This is an unusually large amount. Please check it.")
        : t("The account currently has {balance} credits. Please check the amount.", {
            balance: creditsText(balance),
          }),
    action: t("Yes, this is correct"),
  }
}

/** Returns the confirmation for an unusual multiplier. */
export function multiplierQuestion(doubt: string | undefined): Question | undefined {
  if (doubt === undefined) return undefined
  return {
    title: t("Save this multiplier?"),
    text: `${doubt} ${t("Please check it.")}`,
    action: t("Yes, this is correct"),
  }
}
