import type { Payer } from "../accounting/payer.ts"
import type { KeyRecord } from "../store/keys.ts"
import { budgetsOfAccount } from "../store/accounts.ts"
import {
  type BudgetLimits,
  BUDGET_PERIODS,
  budgetOwner,
  limitOf,
  readPeriodOwner,
} from "../accounting/budget-periods.ts"

const NO_BUDGETS: readonly string[] = []

/**
 * The payer of a key's requests, by moment (Unix milliseconds). Budgets of a day and of a month have another
 * owner in each period; they are named once a period, not once a request.
 */
export function payersOf(record: KeyRecord): (now: number) => Payer {
  let payer = payerAt(record, Date.now())
  return (now) => {
    if (now < payer.from || now >= payer.until) payer = payerAt(record, now)
    return payer
  }
}

function payerAt(record: KeyRecord, at: number): Payer {
  const owners = [
    ...ownersOf(record.id, record, at),
    ...ownersOf(record.account, budgetsOfAccount(record.accountLimits), at),
  ]
  let [from, until] = [-Infinity, Infinity]
  for (const owner of owners) {
    const bounds = readPeriodOwner(owner)
    if (!bounds) continue
    from = Math.max(from, bounds.from)
    until = Math.min(until, bounds.until)
  }
  const budgets = owners.length === 0 ? NO_BUDGETS : owners
  return { account: record.account, key: record.id, budgets, from, until }
}

function ownersOf(holder: string, limits: BudgetLimits, at: number): string[] {
  const periods = BUDGET_PERIODS.filter((period) => limitOf(limits, period) !== null)
  return periods.map((period) => budgetOwner(holder, period, at))
}
