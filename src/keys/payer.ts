import { labelOwners } from "../accounting/label-budgets.ts"
import type { Labels } from "../accounting/labels.ts"
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
 * Returns a function that returns the payer of a key's requests at a moment (Unix milliseconds). Daily and monthly
 * budgets have a different owner in each period. Owners are computed once per period instead of once per request,
 * except the owners of label budgets.
 */
export function payersOf(record: KeyRecord): (now: number, labels?: Labels) => Payer {
  const { labelBudgets } = record.accountLimits
  let payer = payerAt(record, Date.now())
  return (now, labels) => {
    if (now < payer.from || now >= payer.until) payer = payerAt(record, now)
    if (labels === undefined || labelBudgets === undefined) return payer
    return payerWith(payer, labelOwners(record.account, labelBudgets, labels, now))
  }
}

function payerAt(record: KeyRecord, at: number): Payer {
  const owners = [
    ...ownersOf(record.id, record, at),
    ...ownersOf(record.account, budgetsOfAccount(record.accountLimits), at),
  ]
  const unlimited = { budgets: NO_BUDGETS, from: -Infinity, until: Infinity }
  return payerWith({ account: record.account, key: record.id, ...unlimited }, owners)
}

/** Returns a payer with additional budgets. It is valid while the periods of all budgets last. */
function payerWith(payer: Payer, owners: readonly string[]): Payer {
  if (owners.length === 0) return payer
  let { from, until } = payer
  for (const owner of owners) {
    const bounds = readPeriodOwner(owner)
    if (!bounds) continue
    from = Math.max(from, bounds.from)
    until = Math.min(until, bounds.until)
  }
  return { ...payer, budgets: [...payer.budgets, ...owners], from, until }
}

function ownersOf(holder: string, limits: BudgetLimits, at: number): string[] {
  const periods = BUDGET_PERIODS.filter((period) => limitOf(limits, period) !== null)
  return periods.map((period) => budgetOwner(holder, period, at))
}
