import {
  type BudgetBalance,
  type ChangedBudget,
  changeLimit,
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
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { endRecall, RECALLS_FOREVER, recallFor } from "./recalls.ts"

interface LimitRow {
  readonly account: string
  readonly budget: bigint | null
  readonly daily_budget: bigint | null
  readonly monthly_budget: bigint | null
}

/** A budget of a key or an account. */
interface Budget {
  readonly owner: string
  readonly account: string
}

/** Begins a budget that has no row yet. */
export async function beginBudget(
  transaction: Statements,
  { owner, account }: Budget,
  amount: bigint,
): Promise<void> {
  await transaction.run(
    "INSERT INTO balances (owner, account, posted, allotted) VALUES ($1, $2, $3, $3) ON CONFLICT (owner) DO NOTHING",
    [owner, account, amount],
  )
}

/** Begins the period of an owner, with what its holder may spend in it, unless it is no period. */
export async function beginPeriod(transaction: Statements, owner: string): Promise<void> {
  const period = readPeriodOwner(owner)
  const found = period && (await findLimits(transaction, period.holder))
  if (!found) return
  const amount = limitOf(found.limits, period.period)
  if (amount !== null) await beginBudget(transaction, { owner, account: found.account }, amount)
}

/** A change of the limits would not find the row that is begun with them: one of the two waits for the other. */
async function findLimits(
  transaction: Statements,
  holder: string,
): Promise<{ readonly account: string; readonly limits: BudgetLimits } | undefined> {
  const key = await transaction.row<LimitRow>(
    "SELECT account, budget, daily_budget, monthly_budget FROM keys WHERE id = $1 FOR SHARE",
    [holder],
  )
  if (key) return { account: key.account, limits: limitsOf(key) }
  const account = accountOfHolder(holder)
  const row = await transaction.row<{ limits: string }>(
    "SELECT limits FROM accounts WHERE id = $1 FOR SHARE",
    [account],
  )
  if (!row) return undefined
  return { account, limits: budgetsOfHolder(holder, JSON.parse(row.limits) as AccountLimits) }
}

/**
 * Takes changed limits over, in the periods of a moment: what is left grows or shrinks with them, not
 * below zero. What nodes have leased of it is recalled, and taken away when they give it back.
 */
export async function adjustBudgets(
  transaction: Statements,
  holder: { readonly id: string; readonly account: string } & BudgetLimits,
  at: number,
): Promise<void> {
  for (const period of BUDGET_PERIODS) {
    const limit = limitOf(holder, period)
    if (limit === null) continue
    const owner = budgetOwner(holder.id, period, at)
    // A period begins with its first lease.
    if (period === "total")
      await beginBudget(transaction, { owner, account: holder.account }, limit)
    await adjustBudget(transaction, owner, limit)
  }
}

/** Takes over the limit of one budget. */
export async function adjustBudget(
  transaction: Statements,
  owner: string,
  limit: bigint,
): Promise<void> {
  const row = await lockBudget(transaction, owner)
  if (row) await change(transaction, owner, changeLimit(row, limit))
}

/**
 * Takes away what nodes have given back of budgets that are to shrink.
 * @param owners whose balances the transaction has locked, whatever they are.
 */
export async function shrinkBudgets(
  transaction: Statements,
  owners: readonly string[],
): Promise<void> {
  const rows = await transaction.rows<
    BudgetBalance & { readonly owner: string; readonly excess: bigint }
  >(
    `SELECT balances.owner, posted, leased, allotted, recalls.amount AS excess
     FROM recalls JOIN balances ON balances.owner = recalls.owner
     WHERE recalls.owner = ANY($1) AND recalls.node = $2 AND allotted IS NOT NULL`,
    [texts(owners), RECALLS_FOREVER.budget],
  )
  for (const row of rows) await change(transaction, row.owner, takeExcess(row, row.excess))
}

/** What budgets have spent, in the order of their owners. */
export async function listBudgets(
  statements: Statements,
  after: string,
  limit: number,
): Promise<BudgetRecord[]> {
  const rows = await statements.rows<BudgetRecord>(
    `SELECT owner, account, allotted - posted AS spent,
       coalesce(sealed_budgets.spent, 0) AS sealed
     FROM balances LEFT JOIN sealed_budgets USING (owner)
     WHERE owner > $1 AND allotted IS NOT NULL ORDER BY owner LIMIT $2`,
    [after, BigInt(limit)],
  )
  return rows.map(({ owner, account, spent, sealed }) => ({ owner, account, spent, sealed }))
}

function lockBudget(transaction: Statements, owner: string): Promise<BudgetBalance | null> {
  return transaction.row<BudgetBalance>(
    "SELECT posted, leased, allotted FROM balances WHERE owner = $1 AND allotted IS NOT NULL FOR UPDATE",
    [owner],
  )
}

async function change(
  transaction: Statements,
  owner: string,
  { posted, allotted, excess }: ChangedBudget,
): Promise<void> {
  await transaction.run("UPDATE balances SET posted = $2, allotted = $3 WHERE owner = $1", [
    owner,
    posted,
    allotted,
  ])
  if (excess > 0n) await recallFor(transaction, "budget", { owner, amount: excess })
  else await endRecall(transaction, "budget", owner)
}

function limitsOf(row: LimitRow): BudgetLimits {
  return {
    budget: row.budget,
    dailyBudget: row.daily_budget,
    monthlyBudget: row.monthly_budget,
  }
}
