import {
  budgetOwner,
  limitOf,
  OF_ACCOUNT,
  readPeriodOwner,
} from "../../accounting/budget-periods.ts"
import { firstKeptPeriod, labelHolders } from "../../accounting/label-budgets.ts"
import { type AccountLimits, budgetsOfHolder } from "../accounts.ts"
import type { LabelBudgetQuery, LabelBudgetRecord } from "../keys.ts"
import { texts } from "./arrays.ts"
import { adjustBudget } from "./budgets.ts"
import type { Statements } from "./client.ts"

/** Takes changed limits over, for what an account's labels have begun to spend in the periods of a moment. */
export async function adjustLabelBudgets(
  transaction: Statements,
  account: string,
  limits: AccountLimits,
  at: number,
): Promise<void> {
  const { after, before } = labelHolders(account)
  const rows = await transaction.rows<{ owner: string }>(
    `SELECT owner FROM balances WHERE owner > $1 AND owner < $2
       AND substr(owner, strpos(owner, '@')) IN ($3, $4) ORDER BY owner`,
    [after, before, ...currentPeriods(at)],
  )
  for (const { owner } of rows) {
    const period = readPeriodOwner(owner)
    const limit = period && limitOf(budgetsOfHolder(period.holder, limits), period.period)
    if (typeof limit === "bigint") await adjustBudget(transaction, owner, limit)
  }
}

/** The budgets of labels that were used in the present day or month. */
export async function listLabelBudgets(
  statements: Statements,
  { account, at, after, limit }: LabelBudgetQuery,
): Promise<LabelBudgetRecord[]> {
  const range = labelHolders(account)
  const rows = await statements.rows<LabelBudgetRecord>(
    `SELECT owner, allotted - posted AS spent, posted AS left FROM balances
     WHERE owner > $1 AND owner < $2 AND substr(owner, strpos(owner, '@')) IN ($3, $4) ORDER BY owner LIMIT $5`,
    [after ?? range.after, range.before, ...currentPeriods(at), BigInt(limit)],
  )
  return [...rows]
}

/** Forgets those of periods that are long over, unless a node still has something leased of them. */
export async function forgetLabelBudgets(transaction: Statements, at: number): Promise<void> {
  const rows = await transaction.rows<{ owner: string }>(
    `SELECT owner FROM balances WHERE strpos(owner, '${OF_ACCOUNT}') > 0 AND leased = 0
       AND substr(owner, strpos(owner, '@') + 1) < $1 COLLATE "C" ORDER BY owner FOR UPDATE`,
    [firstKeptPeriod(at)],
  )
  const owners = texts(rows.map(({ owner }) => owner))
  await transaction.run("DELETE FROM leases WHERE owner = ANY($1)", [owners])
  await transaction.run("DELETE FROM balances WHERE owner = ANY($1)", [owners])
}

function currentPeriods(at: number) {
  return [budgetOwner("", "day", at), budgetOwner("", "month", at)] as const
}
