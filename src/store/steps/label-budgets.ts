import { limitOf, OF_ACCOUNT, readPeriodOwner } from "../../accounting/budget-periods.ts"
import { firstKeptPeriod, labelHolders } from "../../accounting/label-budgets.ts"
import { type AccountLimits, budgetsOfHolder } from "../accounts.ts"
import type { LabelBudgetQuery, LabelBudgetRecord } from "../keys.ts"
import { adjustBudget, PERIOD_POSITION, periodsAt } from "./budgets.ts"
import { contains, FOR_UPDATE, oneOf, sql, type Sql } from "./sql.ts"
import { rows, run, type Step } from "./step.ts"

/** Matches the budgets of an account's labels in the periods of a moment, starting after an owner. */
function areCurrent(account: string, at: number, after?: string | null): Sql {
  const range = labelHolders(account)
  const [day, month] = periodsAt(at)
  return sql`owner > ${after ?? range.after} AND owner < ${range.before}
    AND substr(owner, ${PERIOD_POSITION}) IN (${day}, ${month})`
}

/** Applies changed limits to those budgets of an account's labels that exist in the periods of a moment. */
export function* adjustLabelBudgets(
  account: string,
  limits: AccountLimits,
  at: number,
): Step<void> {
  const found = yield* rows<{ owner: string }>(
    sql`SELECT owner FROM balances WHERE ${areCurrent(account, at)} ORDER BY owner`,
  )
  for (const { owner } of found) {
    const period = readPeriodOwner(owner)
    const limit = period && limitOf(budgetsOfHolder(period.holder, limits), period.period)
    if (typeof limit === "bigint") yield* adjustBudget(owner, limit)
  }
}

/** Lists the budgets of labels that were used in the current day or month. */
export function* listLabelBudgets(query: LabelBudgetQuery): Step<LabelBudgetRecord[]> {
  const { account, at, after, limit } = query
  const found = yield* rows<LabelBudgetRecord>(
    sql`SELECT owner, allotted - posted AS spent, posted AS "left" FROM balances
      WHERE ${areCurrent(account, at, after)} ORDER BY owner LIMIT ${limit}`,
  )
  return [...found]
}

/** Deletes budgets of periods that ended long ago, unless a node still leases a part of the budget. */
export function* forgetLabelBudgets(at: number): Step<void> {
  const found = yield* rows<{ owner: string }>(
    sql`SELECT owner FROM balances WHERE ${contains(sql`owner`, OF_ACCOUNT)} AND leased = 0
        AND substr(owner, ${PERIOD_POSITION} + 1) < ${firstKeptPeriod(at)} ORDER BY owner ${FOR_UPDATE}`,
  )
  const old = oneOf(found.map(({ owner }) => owner))
  yield* run(sql`DELETE FROM leases WHERE owner ${old}`)
  yield* run(sql`DELETE FROM balances WHERE owner ${old}`)
}
