import {
  type BudgetBalance,
  type ChangedBudget,
  changeLimit,
  leftOf,
  takeExcess,
} from "../../accounting/budget-balances.ts"
import {
  type BudgetLimits,
  BUDGET_PERIODS,
  budgetOwner,
  limitOf,
  readPeriodOwner,
} from "../../accounting/budget-periods.ts"
import { accountOfHolder, type AccountLimits, budgetsOfHolder } from "../accounts.ts"
import type { BudgetRecord } from "../keys.ts"
import { RecordColumns } from "./record-columns.ts"
import { endRecall, recallFor, RECALLS_FOREVER } from "./recalls.ts"
import { FOR_SHARE, FOR_UPDATE, oneOf, perEngine, sql } from "./sql.ts"
import { row, rows, run, type Step } from "./step.ts"

const KEY_LIMITS = new RecordColumns<BudgetLimits & { readonly account: string }>({
  account: "text",
  budget: "bigint",
  dailyBudget: "bigint",
  monthlyBudget: "bigint",
})

/** A budget of a key or an account. */
interface Budget {
  readonly owner: string
  readonly account: string
}

/** The position of the period in a budget owner's name; 0 for owners without a period. */
export const PERIOD_POSITION = perEngine({
  sqlite: sql`instr(owner, '@')`,
  postgresql: sql`strpos(owner, '@')`,
})

/** The holder of the budget that a balance belongs to, which is a key, an account, or a label of an account. */
export const BUDGET_HOLDER = perEngine({
  sqlite: sql`CASE instr(owner, '@') WHEN 0 THEN owner ELSE substr(owner, 1, instr(owner, '@') - 1) END`,
  postgresql: sql`split_part(owner, '@', 1)`,
})

/** Returns the suffixes of budget owners for the day and the month that contain a moment. */
export function periodsAt(at: number): readonly [day: string, month: string] {
  return [budgetOwner("", "day", at), budgetOwner("", "month", at)]
}

/** Returns the remaining amount of a budget; null without a limit. Nothing is spent until the budget has a balance. */
export function leftOrNull(limit: bigint | null, spent: bigint | null): bigint | null {
  return limit === null ? null : leftOf(limit, spent ?? 0n)
}

/** Creates the row of a budget if it does not exist yet. */
export function* beginBudget({ owner, account }: Budget, amount: bigint): Step<void> {
  yield* run(
    sql`${perEngine({
      sqlite: sql`INSERT INTO balances (owner, posted, allotted) VALUES (${owner}, ${amount}, ${amount})`,
      postgresql: sql`INSERT INTO balances (owner, account, posted, allotted)
        VALUES (${owner}, ${account}, ${amount}, ${amount})`,
    })} ON CONFLICT (owner) DO NOTHING`,
  )
}

/** Creates the budget of an owner's period, with the limit of its holder. Does nothing for owners without a period. */
export function* beginPeriod(owner: string): Step<void> {
  const period = readPeriodOwner(owner)
  const found = period && (yield* findLimits(period.holder))
  if (!found) return
  const amount = limitOf(found.limits, period.period)
  if (amount !== null) yield* beginBudget({ owner, account: found.account }, amount)
}

interface HolderLimits {
  readonly account: string
  readonly limits: BudgetLimits
}

/** Returns the limits of a holder and locks them, because a simultaneous change would otherwise miss the new row. */
function* findLimits(holder: string): Step<HolderLimits | undefined> {
  const key = yield* KEY_LIMITS.row(
    sql`SELECT ${KEY_LIMITS.selected} FROM keys WHERE id = ${holder} ${FOR_SHARE}`,
  )
  if (key) return { account: key.account, limits: key }
  const account = accountOfHolder(holder)
  const found = yield* row<{ limits: string }>(
    sql`SELECT limits FROM accounts WHERE id = ${account} ${FOR_SHARE}`,
  )
  if (!found) return undefined
  return { account, limits: budgetsOfHolder(holder, JSON.parse(found.limits) as AccountLimits) }
}

/**
 * Applies changed limits to the budgets in the periods of a moment. The remaining amounts grow or shrink with the
 * limits, but not below zero. Leased parts are recalled from nodes, and removed when they are returned.
 */
export function* adjustBudgets(
  holder: { readonly id: string; readonly account: string } & BudgetLimits,
  at: number,
): Step<void> {
  for (const period of BUDGET_PERIODS) {
    const limit = limitOf(holder, period)
    if (limit === null) continue
    const owner = budgetOwner(holder.id, period, at)
    // The budget of a day or a month is created with its first lease.
    if (period === "total") yield* beginBudget({ owner, account: holder.account }, limit)
    yield* adjustBudget(owner, limit)
  }
}

/** Applies a limit to one budget, if the budget exists. */
export function* adjustBudget(owner: string, limit: bigint): Step<void> {
  const balance = yield* lockBudget(owner)
  if (balance) yield* change(owner, changeLimit(balance, limit))
}

function lockBudget(owner: string): Step<BudgetBalance | null> {
  return row(
    sql`SELECT posted, leased, allotted FROM balances WHERE owner = ${owner} AND allotted IS NOT NULL ${FOR_UPDATE}`,
  )
}

/**
 * Removes returned amounts from budgets that must shrink.
 * @param owners owners whose balances the transaction has locked. Accounts among them are ignored.
 */
export function* shrinkBudgets(owners: readonly string[]): Step<void> {
  const shrinking = yield* rows<{ readonly owner: string; readonly excess: bigint }>(
    sql`SELECT owner, amount AS excess FROM recalls
      WHERE owner ${oneOf(owners)} AND node = ${RECALLS_FOREVER.budget}`,
  )
  for (const { owner, excess } of shrinking) {
    const balance = yield* lockBudget(owner)
    if (balance) yield* change(owner, takeExcess(balance, excess))
  }
}

/** Lists the spending of budgets, sorted by owner. */
export function* listBudgets(after: string, limit: number): Step<BudgetRecord[]> {
  const account = perEngine({
    sqlite: sql`coalesce((SELECT account FROM keys WHERE keys.id = ${BUDGET_HOLDER}), ${BUDGET_HOLDER})`,
    postgresql: sql`account`,
  })
  const found = yield* rows<BudgetRecord>(
    sql`SELECT owner, ${account} AS account, allotted - posted AS spent, coalesce(pruned_budgets.spent, 0) AS pruned
      FROM balances LEFT JOIN pruned_budgets USING (owner)
      WHERE owner > ${after} AND allotted IS NOT NULL ORDER BY owner LIMIT ${limit}`,
  )
  return found.map((budget) => ({ ...budget, account: accountOfHolder(budget.account) }))
}

function* change(owner: string, { posted, allotted, excess }: ChangedBudget): Step<void> {
  yield* run(
    sql`UPDATE balances SET posted = ${posted}, allotted = ${allotted} WHERE owner = ${owner}`,
  )
  if (excess > 0n) yield* recallFor("budget", owner, excess)
  else yield* endRecall("budget", owner)
}
