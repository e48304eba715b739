import type { Database, Statement } from "bun:sqlite"
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
  OF_ACCOUNT,
  readPeriodOwner,
} from "../../accounting/budget-periods.ts"
import { firstKeptPeriod, labelHolders } from "../../accounting/label-budgets.ts"
import { accountOfHolder, type AccountLimits, budgetsOfHolder } from "../accounts.ts"
import type { BudgetRecord, LabelBudgetQuery, LabelBudgetRecord } from "../keys.ts"

interface BudgetRow {
  owner: string
  account: string
  spent: bigint
  sealed: bigint
}

interface LimitRow {
  budget: bigint | null
  daily_budget: bigint | null
  monthly_budget: bigint | null
}

/** Whose budget the owner of a balance is, as SQL. */
export const BUDGET_HOLDER =
  "CASE instr(owner, '@') WHEN 0 THEN owner ELSE substr(owner, 1, instr(owner, '@') - 1) END"

/** Stands in `recalls` for what a budget is to shrink by, as soon as nodes have given it back. */
const SHRINKING = "(budget)"
const FOR_EVER = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * What is left of the budgets of keys and accounts: rows of `balances`, one for each budget and period. Methods that write
 * expect to run inside a transaction.
 */
export class Budgets {
  readonly #database: Database
  readonly #limits: Statement<LimitRow, [string]>
  readonly #accountLimits: Statement<{ limits: string }, [string]>
  readonly #insert: Statement<unknown, [string, bigint]>
  readonly #balance: Statement<BudgetBalance, [string]>
  readonly #change: Statement<unknown, [bigint, bigint, string]>
  readonly #list: Statement<BudgetRow, [string, bigint]>
  readonly #recall: Statement<unknown, [string, bigint]>
  readonly #endRecall: Statement<unknown, [string]>
  readonly #labels: Statement<{ owner: string }, [string, string, string, string]>
  readonly #excess: Statement<{ amount: bigint }, [string]>
  readonly #shrinking: Statement<{ owner: string }, []>

  constructor(database: Database) {
    this.#database = database
    this.#limits = database.prepare(
      "SELECT budget, daily_budget, monthly_budget FROM keys WHERE id = ?",
    )
    this.#accountLimits = database.prepare("SELECT limits FROM accounts WHERE id = ?")
    this.#insert = database.prepare(
      "INSERT INTO balances (owner, posted, allotted) VALUES (?1, ?2, ?2) ON CONFLICT DO NOTHING",
    )
    this.#balance = database.prepare(
      "SELECT posted, leased, allotted FROM balances WHERE owner = ? AND allotted IS NOT NULL",
    )
    this.#change = database.prepare("UPDATE balances SET posted = ?, allotted = ? WHERE owner = ?")
    this.#recall = database.prepare(
      `INSERT OR REPLACE INTO recalls (owner, node, at, amount) VALUES (?, '${SHRINKING}', ${FOR_EVER}, ?)`,
    )
    this.#labels = database.prepare(
      `SELECT owner FROM balances WHERE owner > ? AND owner < ?
         AND substr(owner, instr(owner, '@')) IN (?, ?)`,
    )
    const shrinking = `FROM recalls WHERE node = '${SHRINKING}'`
    this.#endRecall = database.prepare(`DELETE ${shrinking} AND owner = ?`)
    this.#excess = database.prepare(`SELECT amount ${shrinking} AND owner = ?`)
    this.#shrinking = database.prepare(`SELECT owner ${shrinking}`)
    this.#list = database.prepare(
      `SELECT owner, coalesce(keys.account, ${BUDGET_HOLDER}) AS account, allotted - posted AS spent,
         coalesce((SELECT spent FROM sealed_budgets WHERE sealed_budgets.owner = balances.owner), 0) AS sealed FROM balances
       LEFT JOIN keys ON keys.id = ${BUDGET_HOLDER}
       WHERE owner > ? AND allotted IS NOT NULL ORDER BY owner LIMIT ?`,
    )
  }

  /** Begins a budget that has no row yet. */
  begin(owner: string, amount: bigint): void {
    this.#insert.run(owner, amount)
  }

  /** Begins the period of an owner, with what its holder may spend in it, unless it is no period. */
  beginPeriod(owner: string): void {
    const period = readPeriodOwner(owner)
    const limits = period && this.#limitsOf(period.holder)
    const amount = limits && limitOf(limits, period.period)
    if (amount !== undefined && amount !== null) this.begin(owner, amount)
  }

  #limitsOf(holder: string): BudgetLimits | undefined {
    const row = this.#limits.get(holder)
    if (row) return limitsOf(row)
    const account = this.#accountLimits.get(accountOfHolder(holder))
    return account
      ? budgetsOfHolder(holder, JSON.parse(account.limits) as AccountLimits)
      : undefined
  }

  /**
   * Takes changed limits over, in the periods of a moment: what is left grows or shrinks with them, not
   * below zero. What nodes have leased of it is recalled, and taken away when they give it back.
   */
  adjust(holder: string, limits: BudgetLimits, at: number): void {
    for (const period of BUDGET_PERIODS) {
      const limit = limitOf(limits, period)
      if (limit === null) continue
      const owner = budgetOwner(holder, period, at)
      const row = this.#balance.get(owner)
      if (!row) {
        // A period begins with its first lease.
        if (period === "total") this.begin(owner, limit)
        continue
      }
      this.#set(owner, changeLimit(row, limit))
    }
  }

  /** The same for what an account's labels have begun to spend. */
  adjustLabels(account: string, limits: AccountLimits, at: number): void {
    const { after, before } = labelHolders(account)
    for (const { owner } of this.#labels.all(after, before, ...currentPeriods(at))) {
      const period = readPeriodOwner(owner)
      const limit = period && limitOf(budgetsOfHolder(period.holder, limits), period.period)
      const row = this.#balance.get(owner)
      if (row && typeof limit === "bigint") this.#set(owner, changeLimit(row, limit))
    }
  }

  listLabels({ account, at, after, limit }: LabelBudgetQuery): LabelBudgetRecord[] {
    const range = labelHolders(account)
    return this.#database
      .query<LabelBudgetRecord, (string | bigint)[]>(
        `SELECT owner, allotted - posted AS spent, posted AS left FROM balances
         WHERE owner > ? AND owner < ? AND substr(owner, instr(owner, '@')) IN (?, ?) ORDER BY owner LIMIT ?`,
      )
      .all(after ?? range.after, range.before, ...currentPeriods(at), BigInt(limit))
  }

  forgetLabels(at: number): void {
    const isOld = `instr(owner, '${OF_ACCOUNT}') > 0 AND substr(owner, instr(owner, '@') + 1) < ?`
    const first = firstKeptPeriod(at)
    this.#database.run(`DELETE FROM leases WHERE amount = 0 AND ${isOld}`, [first])
    this.#database.run(`DELETE FROM balances WHERE leased = 0 AND ${isOld}`, [first])
  }

  /** Takes away what nodes have given back of a budget that is to shrink. */
  shrink(owner: string): void {
    const excess = this.#excess.get(owner)?.amount
    const row = excess === undefined ? null : this.#balance.get(owner)
    if (excess === undefined || !row) return
    this.#set(owner, takeExcess(row, excess))
  }

  /** The same for all budgets, when a node is gone. */
  shrinkAll(): void {
    for (const { owner } of this.#shrinking.all()) this.shrink(owner)
  }

  #set(owner: string, { posted, allotted, excess }: ChangedBudget): void {
    this.#change.run(posted, allotted, owner)
    if (excess > 0n) this.#recall.run(owner, excess)
    else this.#endRecall.run(owner)
  }

  /** Those of all keys, accounts and periods, in the order of their owners. */
  list(after: string, limit: number): BudgetRecord[] {
    const rows = this.#list.all(after, BigInt(limit))
    return rows.map((row) => ({ ...row, account: accountOfHolder(row.account) }))
  }
}

function currentPeriods(at: number) {
  return [budgetOwner("", "day", at), budgetOwner("", "month", at)] as const
}

function limitsOf(row: LimitRow): BudgetLimits {
  return {
    budget: row.budget,
    dailyBudget: row.daily_budget,
    monthlyBudget: row.monthly_budget,
  }
}
