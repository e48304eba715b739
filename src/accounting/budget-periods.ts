/** The period of a budget: forever, a day or a month (UTC). */
export type BudgetPeriod = "total" | "day" | "month"

/** Maximum spending of a key or an account per period, in nanocredits; null without a limit. */
export interface BudgetLimits {
  readonly budget: bigint | null
  readonly dailyBudget: bigint | null
  readonly monthlyBudget: bigint | null
}

/** A budget in one period, which has its own balance. */
export interface BudgetOwner {
  /** The key or account that has the budget. */
  readonly holder: string
  readonly period: BudgetPeriod
  /** The period in Unix milliseconds, with an exclusive end; unbounded for the total. */
  readonly from: number
  readonly until: number
}

/** The holders of the budgets that a charge draws on, except budgets of labels. */
export interface BudgetHolders {
  readonly key: string
  readonly account: string
}

/** The bit in a charge's row for each budget. */
const BITS: Readonly<Record<keyof BudgetHolders, Readonly<Partial<Record<BudgetPeriod, number>>>>> =
  { key: { total: 1, day: 2, month: 4 }, account: { day: 8, month: 16 } }

/** The bit for label budgets. The receipt lists them. */
export const LABEL_BIT = 32
/** Separates the account and the label in a holder's name. Neither part contains this character. */
export const OF_ACCOUNT = "#"

const DAY_LENGTH = "2026-11-21".length
const MONTH_LENGTH = "2026-11".length

/**
 * Returns the owner of a budget in the period that contains a moment: `key_x`, `key_x@2026-11-21`, `acc_x@2026-11`.
 * Each period has its own owner, so no balance is ever reset.
 * @param at Unix milliseconds.
 */
export function budgetOwner(holder: string, period: BudgetPeriod, at: number): string {
  if (period === "total") return holder
  const length = period === "day" ? DAY_LENGTH : MONTH_LENGTH
  return `${holder}@${new Date(at).toISOString().slice(0, length)}`
}

/** Returns the first moment after the period of `at`, in Unix milliseconds. */
export function endOfPeriod(period: BudgetPeriod, at: number): number {
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  if (period === "total") return Infinity
  return period === "day"
    ? Date.UTC(year, month, date.getUTCDate() + 1)
    : Date.UTC(year, month + 1, 1)
}

/** Returns the holder and period of a budget's owner; undefined for accounts and for budgets without a period. */
export function readPeriodOwner(owner: string): BudgetOwner | undefined {
  const at = owner.lastIndexOf("@")
  if (at === -1) return undefined
  const name = owner.slice(at + 1)
  const from = Date.parse(name.length === MONTH_LENGTH ? `${name}-01` : name)
  if (Number.isNaN(from)) return undefined
  const period = name.length === MONTH_LENGTH ? "month" : "day"
  return { holder: owner.slice(0, at), period, from, until: endOfPeriod(period, from) }
}

/** Returns the limit for a period; null if there is no such budget. */
export function limitOf(limits: BudgetLimits, period: BudgetPeriod): bigint | null {
  if (period === "total") return limits.budget
  return period === "day" ? limits.dailyBudget : limits.monthlyBudget
}

/** Returns the bits that encode the budgets of a charge. */
export function bitsOf(budgets: readonly string[], holders: BudgetHolders): number {
  let bits = 0
  for (const owner of budgets) {
    if (owner.startsWith(`${holders.account}${OF_ACCOUNT}`)) {
      bits |= LABEL_BIT
      continue
    }
    const isOfKey = owner.startsWith(holders.key) && !owner.startsWith(`${holders.account}@`)
    const holder = isOfKey ? "key" : "account"
    bits |= BITS[holder][periodOf(owner, holders[holder])] ?? 0
  }
  return bits
}

function periodOf(owner: string, holder: string): BudgetPeriod {
  if (owner.length === holder.length) return "total"
  return owner.length === holder.length + 1 + DAY_LENGTH ? "day" : "month"
}

/** Returns the owners of the budgets that the bits of a charge encode, except budgets of labels. */
export function ownersOfBits(bits: number, holders: BudgetHolders, at: number): string[] {
  return (["key", "account"] as const).flatMap((kind) =>
    BUDGET_PERIODS.filter((period) => (bits & (BITS[kind][period] ?? 0)) !== 0).map((period) =>
      budgetOwner(holders[kind], period, at),
    ),
  )
}

export const BUDGET_PERIODS: readonly BudgetPeriod[] = ["total", "day", "month"]
