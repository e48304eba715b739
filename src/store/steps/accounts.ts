import { GENESIS_HASH } from "../../accounting/hash-chain.ts"
import {
  type AccountChange,
  type AccountLimits,
  type AccountRecord,
  budgetsOfAccount,
  concernsRequests,
  FRESH_ACCOUNT,
  limitsAfter,
  type NewAccount,
} from "../accounts.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { adjustBudgets, leftOrNull, periodsAt } from "./budgets.ts"
import { touchKeys } from "./keys.ts"
import { adjustLabelBudgets } from "./label-budgets.ts"
import { column, RecordColumns } from "./record-columns.ts"
import { oneOf, perEngine, sql, type Sql, where } from "./sql.ts"
import {
  exists,
  run,
  runOnPostgresql,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "./step.ts"

/** An account with the spent amounts of its budgets, which are null until a budget of the period is used. */
type StoredAccount = Omit<AccountRecord, "dailyLeft" | "monthlyLeft"> & SpentBudgets

interface SpentBudgets {
  readonly dailySpent: bigint | null
  readonly monthlySpent: bigint | null
}

const ACCOUNT = new RecordColumns<StoredAccount>({
  id: "text",
  name: "text",
  createdAt: "number",
  balance: column("bigint", sql`own.posted`),
  leased: column("bigint", sql`own.leased`),
  debt: column(
    "bigint",
    sql`coalesce(
    (SELECT debt FROM debts WHERE debts.account = accounts.id ORDER BY number DESC LIMIT 1), 0)`,
  ),
  storesContent: "boolean",
  state: "text",
  limits: "json",
  dailySpent: column("bigint", sql`day.allotted - day.posted`),
  monthlySpent: column("bigint", sql`month.allotted - month.posted`),
})

export const accountSteps: StepMethods<Store["accounts"]> = {
  find: statements(find),
  list: statements(list),
  any: statements(() => exists(sql`SELECT 1 FROM accounts LIMIT 1`)),
  create: transaction((account, audit) => audited(audit, createAccount(account))),
  update: transaction((id, change, audit) => audited(audit, updateAccount(id, change))),
}

/** Selects accounts with their debts, and with the spending of today's and this month's budgets. */
function selectAccounts(): Sql {
  const [day, month] = periodsAt(Date.now())
  return sql`SELECT ${ACCOUNT.selected}
    FROM accounts JOIN balances AS own ON own.owner = id
    LEFT JOIN balances AS day ON day.owner = id || ${day}
    LEFT JOIN balances AS month ON month.owner = id || ${month}`
}

function* find(idOrName: string): Step<AccountRecord | null> {
  const found = yield* ACCOUNT.row(
    sql`${selectAccounts()} WHERE id = ${idOrName} OR name = ${idOrName}`,
  )
  return found && withLeft(found)
}

function* list(ids?: readonly string[]): Step<AccountRecord[]> {
  if (ids?.length === 0) return []
  const found = yield* ACCOUNT.rows(
    sql`${selectAccounts()} ${where(ids && sql`id ${oneOf(ids)}`)} ORDER BY created_at, id`,
  )
  return found.map(withLeft)
}

const UNSPENT: SpentBudgets = { dailySpent: null, monthlySpent: null }

/**
 * Creates an account.
 * @throws StoreError `exists`.
 */
export function* createAccount(account: NewAccount): Step<AccountRecord> {
  const { id, name, createdAt, limits = {} } = account
  // The name must also differ from the ids of other accounts, because accounts can be found by either.
  if (yield* find(name)) throw rejections.nameIsTaken(name)
  yield* run(
    sql`INSERT INTO accounts (id, name, created_at, limits)
      VALUES (${id}, ${name}, ${createdAt}, ${JSON.stringify(limits)})`,
    { accounts_name_key: () => rejections.nameIsTaken(name) },
  )
  yield* run(
    sql`${perEngine({
      sqlite: sql`INSERT INTO balances (owner, posted) VALUES (${id}, 0)`,
      postgresql: sql`INSERT INTO balances (owner, account, posted, number, hash)
        VALUES (${id}, ${id}, 0, 0, ${GENESIS_HASH})`,
    })}`,
  )
  return { ...account, ...FRESH_ACCOUNT, limits, ...leftOfBudgets(limits, UNSPENT) }
}

/**
 * Changes an account. If the change affects requests, nodes read the account's keys again.
 * @throws StoreError `not_found`, `exists`.
 */
export function* updateAccount(id: string, change: AccountChange): Step<AccountRecord> {
  const account = yield* update(id, change)
  if (concernsRequests(change)) yield* touchKeys(id)
  return account
}

function* update(id: string, change: AccountChange): Step<AccountRecord> {
  // The account is locked, so that the second of two simultaneous changes sees the first.
  yield* runOnPostgresql(sql`SELECT 1 FROM accounts WHERE id = ${id} FOR NO KEY UPDATE`)
  const account = yield* find(id)
  if (!account) throw rejections.noAccount(id)
  const limits = limitsAfter(account.limits, change)
  const { memberKeys: _, ...others } = change
  const changed = { ...account, ...others, limits }
  const { name, storesContent, state } = changed
  if (name !== account.name && (yield* find(name))) throw rejections.nameIsTaken(name)
  yield* run(
    sql`UPDATE accounts SET name = ${name}, stores_content = ${storesContent}, state = ${state},
      limits = ${JSON.stringify(limits)} WHERE id = ${account.id}`,
    { accounts_name_key: () => rejections.nameIsTaken(name) },
  )
  if (!change.limits && !change.labelBudgets) return changed
  const now = Date.now()
  // All code locks balances in this order.
  yield* adjustLabelBudgets(id, limits, now)
  yield* adjustBudgets({ id, account: id, ...budgetsOfAccount(limits) }, now)
  return (yield* find(id)) ?? changed
}

function withLeft({ dailySpent, monthlySpent, ...account }: StoredAccount): AccountRecord {
  return { ...account, ...leftOfBudgets(account.limits, { dailySpent, monthlySpent }) }
}

function leftOfBudgets(limits: AccountLimits, { dailySpent, monthlySpent }: SpentBudgets) {
  const { dailyBudget, monthlyBudget } = budgetsOfAccount(limits)
  return {
    dailyLeft: leftOrNull(dailyBudget, dailySpent),
    monthlyLeft: leftOrNull(monthlyBudget, monthlySpent),
  }
}
