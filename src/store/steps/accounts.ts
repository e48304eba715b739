import { GENESIS_HASH } from "../../accounting/hash-chain.ts"
import {
  type AccountChange,
  type AccountLimits,
  type AccountRecord,
  type AccountState,
  budgetsOfAccount,
  concernsRequests,
  FRESH_ACCOUNT,
  limitsAfter,
  type NewAccount,
} from "../accounts.ts"
import { leftOfBudgets } from "./key-fields.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { adjustBudgets, periodsAt } from "./budgets.ts"
import { touchKeys } from "./keys.ts"
import { adjustLabelBudgets } from "./label-budgets.ts"
import { oneOf, perEngine, sql, type Sql, type SqlBoolean, where } from "./sql.ts"
import {
  exists,
  row,
  rows,
  run,
  runOnPostgresql,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "./step.ts"

interface AccountRow {
  readonly id: string
  readonly name: string
  readonly created_at: bigint
  readonly posted: bigint
  readonly leased: bigint
  readonly stores_content: SqlBoolean
  readonly debt: bigint
  readonly state: AccountState
  readonly limits: string
  readonly daily_spent: bigint | null
  readonly monthly_spent: bigint | null
}

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
  return sql`SELECT id, name, created_at, own.posted, own.leased, stores_content, state, limits, coalesce(
      (SELECT debt FROM debts WHERE debts.account = accounts.id ORDER BY number DESC LIMIT 1), 0) AS debt,
      day.allotted - day.posted AS daily_spent, month.allotted - month.posted AS monthly_spent
    FROM accounts JOIN balances AS own ON own.owner = id
    LEFT JOIN balances AS day ON day.owner = id || ${day}
    LEFT JOIN balances AS month ON month.owner = id || ${month}`
}

function* find(idOrName: string): Step<AccountRecord | null> {
  const found = yield* row<AccountRow>(
    sql`${selectAccounts()} WHERE id = ${idOrName} OR name = ${idOrName}`,
  )
  return found && accountFromRow(found)
}

function* list(ids?: readonly string[]): Step<AccountRecord[]> {
  if (ids?.length === 0) return []
  const found = yield* rows<AccountRow>(
    sql`${selectAccounts()} ${where(ids && sql`id ${oneOf(ids)}`)} ORDER BY created_at, id`,
  )
  return found.map(accountFromRow)
}

const UNSPENT = { daily_spent: null, monthly_spent: null }

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

function accountFromRow(row: AccountRow): AccountRecord {
  const limits = JSON.parse(row.limits) as AccountLimits
  return {
    id: row.id,
    name: row.name,
    createdAt: Number(row.created_at),
    balance: row.posted,
    leased: row.leased,
    debt: row.debt,
    storesContent: Boolean(row.stores_content),
    state: row.state,
    limits,
    ...leftOfBudgets(limits, row),
  }
}
