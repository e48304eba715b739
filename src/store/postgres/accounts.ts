import { GENESIS_HASH } from "../../accounting/hash-chain.ts"
import {
  type AccountChange,
  type AccountLimits,
  type AccountRecord,
  type AccountState,
  budgetsOfAccount,
  limitsAfter,
  concernsRequests,
  FRESH_ACCOUNT,
  type NewAccount,
} from "../accounts.ts"
import { leftOfBudgets } from "../key-fields.ts"
import { refusals } from "../refusals.ts"
import type { Store } from "../store.ts"
import { adjustBudgets } from "./budgets.ts"
import { adjustLabelBudgets } from "./label-budgets.ts"
import type { Statements } from "./client.ts"
import { isViolationOf } from "./failure.ts"
import { currentPeriods } from "./key-queries.ts"
import { touchKeys } from "./keys.ts"
import type { StoreParts } from "./store-parts.ts"

interface AccountRow {
  readonly id: string
  readonly name: string
  readonly created_at: bigint
  readonly posted: bigint
  readonly leased: bigint
  readonly stores_content: boolean
  readonly debt: bigint
  readonly state: AccountState
  readonly limits: string
  readonly daily_spent: bigint | null
  readonly monthly_spent: bigint | null
}

/** The first two parameters are the ends of the owners of today's budgets and this month's. */
const SELECT_ACCOUNT = `SELECT id, name, created_at, own.posted, own.leased, stores_content, state, limits, coalesce(
    (SELECT debt FROM debts WHERE debts.account = accounts.id ORDER BY number DESC LIMIT 1), 0) AS debt,
    day.allotted - day.posted AS daily_spent, month.allotted - month.posted AS monthly_spent
  FROM accounts JOIN balances AS own ON own.owner = id
  LEFT JOIN balances AS day ON day.owner = id || $1
  LEFT JOIN balances AS month ON month.owner = id || $2`

export function accountMethods({ client, audited }: StoreParts): Store["accounts"] {
  return {
    find: (idOrName) => findAccount(client, idOrName),
    async list() {
      const rows = await client.rows<AccountRow>(
        `${SELECT_ACCOUNT} ORDER BY created_at, id`,
        currentPeriods(),
      )
      return rows.map(accountFromRow)
    },
    any: async () => (await client.row("SELECT 1 FROM accounts LIMIT 1", [])) !== null,
    create: (account, audit) =>
      audited(audit, (transaction) => createAccount(transaction, account)),
    update: (id, change, audit) =>
      audited(audit, (transaction) => updateAccount(transaction, id, change)),
  }
}

/** An account by id or by name. */
export async function findAccount(
  statements: Statements,
  idOrName: string,
): Promise<AccountRecord | null> {
  const row = await statements.row<AccountRow>(`${SELECT_ACCOUNT} WHERE id = $3 OR name = $3`, [
    ...currentPeriods(),
    idOrName,
  ])
  return row ? accountFromRow(row) : null
}

const UNSPENT = { daily_spent: null, monthly_spent: null }

/** @throws StoreError `exists`. */
export async function createAccount(
  transaction: Statements,
  account: NewAccount,
): Promise<AccountRecord> {
  const { id, name, createdAt, limits = {} } = account
  // Neither an id nor a name: either finds an account.
  if (await findAccount(transaction, name)) throw refusals.nameIsTaken(name)
  try {
    await transaction.run(
      "INSERT INTO accounts (id, name, created_at, limits) VALUES ($1, $2, $3, $4)",
      [id, name, BigInt(createdAt), JSON.stringify(limits)],
    )
  } catch (error) {
    throw isViolationOf(error, "accounts_name_key") ? refusals.nameIsTaken(name) : error
  }
  await transaction.run(
    "INSERT INTO balances (owner, account, posted, number, hash) VALUES ($1, $1, 0, 0, $2)",
    [id, GENESIS_HASH],
  )
  return { ...account, ...FRESH_ACCOUNT, limits, ...leftOfBudgets(limits, UNSPENT) }
}

/** Nodes read the account's keys again if the change concerns requests. @throws StoreError `not_found`, `exists`. */
export async function updateAccount(
  transaction: Statements,
  id: string,
  change: AccountChange,
): Promise<AccountRecord> {
  const account = await update(transaction, id, change)
  if (concernsRequests(change)) await touchKeys(transaction, id)
  return account
}

async function update(
  transaction: Statements,
  id: string,
  change: AccountChange,
): Promise<AccountRecord> {
  // Of two changes at the same moment the second sees the first.
  await transaction.run("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [id])
  const account = await findAccount(transaction, id)
  if (!account) throw refusals.noAccount(id)
  const limits = limitsAfter(account.limits, change)
  const changed = { ...account, ...change, limits }
  const { name, storesContent, state } = changed
  if (name !== account.name && (await findAccount(transaction, name))) {
    throw refusals.nameIsTaken(name)
  }
  try {
    await transaction.run(
      "UPDATE accounts SET name = $2, stores_content = $3, state = $4, limits = $5 WHERE id = $1",
      [account.id, name, storesContent, state, JSON.stringify(limits)],
    )
  } catch (error) {
    throw isViolationOf(error, "accounts_name_key") ? refusals.nameIsTaken(name) : error
  }
  if (!change.limits && !change.labelBudgets) return changed
  const now = Date.now()
  // In the order in which balances are locked.
  await adjustLabelBudgets(transaction, id, limits, now)
  await adjustBudgets(transaction, { id, account: id, ...budgetsOfAccount(limits) }, now)
  return (await findAccount(transaction, id)) ?? changed
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
    storesContent: row.stores_content,
    state: row.state,
    limits,
    ...leftOfBudgets(limits, row),
  }
}
