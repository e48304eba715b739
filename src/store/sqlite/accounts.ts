import type { Database, Statement } from "bun:sqlite"
import type { EntryKind, EntryRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashEntry } from "../../accounting/hash-chain.ts"
import {
  type AccountChange,
  type AccountLimits,
  type AccountRecord,
  type AccountState,
  budgetsOfAccount,
  limitsAfter,
  concernsRequests,
  type NewAccount,
} from "../accounts.ts"
import type { NewEntry } from "../entries.ts"
import { refusals } from "../refusals.ts"
import { leftOfBudgets } from "../key-fields.ts"
import type { Budgets } from "./budgets.ts"
import type { DirectStore } from "./direct-store.ts"
import { ENTRY_COLUMNS, type EntryRow } from "./entry-rows.ts"
import { currentPeriods } from "./key-rows.ts"
import type { Keys } from "./keys.ts"
import type { Transactions } from "./transactions.ts"

interface AccountRow {
  id: string
  name: string
  created_at: bigint
  posted: bigint
  leased: bigint
  stores_content: bigint
  debt: bigint
  state: AccountState
  limits: string
  daily_spent: bigint | null
  monthly_spent: bigint | null
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
    storesContent: row.stores_content === 1n,
    state: row.state,
    limits,
    ...leftOfBudgets(limits, row),
  }
}

/** Where an account's ledger ends, as far as its next line needs to know. */
export type LedgerEnd = Pick<EntryRecord, "number" | "balance" | "hash">

const EMPTY_BOOK: LedgerEnd = { number: 0, balance: 0n, hash: GENESIS_HASH }

/** The first two parameters are the ends of the owners of today's budgets and this month's. */
const SELECT_ACCOUNT = `SELECT id, name, created_at, own.posted, own.leased, stores_content, state, limits, coalesce(
    (SELECT debt FROM debts WHERE account = accounts.id ORDER BY number DESC LIMIT 1), 0) AS debt,
    day.allotted - day.posted AS daily_spent, month.allotted - month.posted AS monthly_spent
  FROM accounts JOIN balances AS own ON own.owner = id
  LEFT JOIN balances AS day ON day.owner = id || ?1
  LEFT JOIN balances AS month ON month.owner = id || ?2`

/** The largest sum that a column holds. */
const MAX = 2n ** 63n - 1n

/** An entry that is no charge: what an addition to the ledger says of itself. */
type Addition = Omit<NewEntry, "kind"> & { readonly kind: Exclude<EntryKind, "charge"> }

/** Accounts and their ledgers. Methods that write expect to run inside a transaction. */
export class Accounts {
  readonly #budgets: Budgets
  readonly #insert: Statement<unknown, [string, string, bigint, string]>
  readonly #insertBalance: Statement<unknown, [string]>
  readonly #find: Statement<AccountRow, [string, string, string]>
  readonly #list: Statement<AccountRow, [string, string]>
  readonly #any: Statement<unknown, []>
  readonly #end: Statement<Pick<EntryRow, "number" | "balance" | "hash">, [string]>
  readonly #insertEntry: Statement<unknown, (string | bigint | null)[]>
  readonly #changePosted: Statement<unknown, [bigint, string]>
  readonly #update: Statement<unknown, [string, bigint, string, string, string]>

  constructor(database: Database, budgets: Budgets) {
    this.#budgets = budgets
    this.#insert = database.prepare(
      "INSERT INTO accounts (id, name, created_at, limits) VALUES (?, ?, ?, ?)",
    )
    this.#insertBalance = database.prepare("INSERT INTO balances (owner, posted) VALUES (?, 0)")
    this.#find = database.prepare(`${SELECT_ACCOUNT} WHERE id = ?3 OR name = ?3`)
    this.#list = database.prepare(`${SELECT_ACCOUNT} ORDER BY created_at, id`)
    this.#any = database.prepare("SELECT 1 FROM accounts LIMIT 1")
    this.#end = database.prepare(
      "SELECT number, balance, hash FROM entries WHERE account = ? AND number IS NOT NULL ORDER BY number DESC LIMIT 1",
    )
    this.#insertEntry = database.prepare(
      `INSERT INTO entries (${ENTRY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#changePosted = database.prepare("UPDATE balances SET posted = posted + ? WHERE owner = ?")
    this.#update = database.prepare(
      "UPDATE accounts SET name = ?, stores_content = ?, state = ?, limits = ? WHERE id = ?",
    )
  }

  create(account: NewAccount): AccountRecord {
    if (this.find(account.name)) {
      throw refusals.nameIsTaken(account.name)
    }
    const { id, name, createdAt, limits = {} } = account
    this.#insert.run(id, name, BigInt(createdAt), JSON.stringify(limits))
    this.#insertBalance.run(account.id)
    return this.#require(id)
  }

  update(id: string, change: AccountChange): AccountRecord {
    const account = this.#require(id)
    const changed = { ...account, ...change }
    const { name, storesContent, state } = changed
    const limits = limitsAfter(account.limits, change)
    if (name !== account.name && this.find(name)) {
      throw refusals.nameIsTaken(name)
    }
    this.#update.run(name, storesContent ? 1n : 0n, state, JSON.stringify(limits), account.id)
    if (change.limits ?? change.labelBudgets) {
      const now = Date.now()
      this.#budgets.adjust(account.id, budgetsOfAccount(limits), now)
      this.#budgets.adjustLabels(account.id, limits, now)
    }
    return this.#require(account.id)
  }

  find(idOrName: string): AccountRecord | null {
    const row = this.#find.get(...currentPeriods(), idOrName)
    return row ? accountFromRow(row) : null
  }

  list(): AccountRecord[] {
    return this.#list.all(...currentPeriods()).map(accountFromRow)
  }

  any(): boolean {
    return this.#any.get() !== null
  }

  addEntry(entry: Addition): EntryRecord {
    const account = this.#require(entry.account)
    if (account.balance - account.leased + entry.amount < 0n) {
      throw refusals.balanceIsShort()
    }
    if (account.balance + entry.amount > MAX) {
      throw refusals.balanceIsFull()
    }
    this.#changePosted.run(entry.amount, account.id)
    return this.append({ ...entry, account: account.id })
  }

  /** The part of an account's balance that no one has leased. */
  freeOf(id: string): bigint {
    const { balance, leased } = this.#require(id)
    return balance - leased
  }

  /** Writes the next line of an account's ledger. The balance itself is the caller's to change. */
  append(line: Addition): EntryRecord {
    const end = this.end(line.account)
    const unhashed = {
      ...line,
      request: null,
      receiptHash: null,
      key: null,
      budgetBits: 0,
      number: end.number + 1,
      balance: end.balance + line.amount,
      previousHash: end.hash,
    }
    const entry = { ...unhashed, hash: hashEntry(unhashed) }
    this.#insertEntry.run(
      entry.account,
      BigInt(entry.number),
      entry.kind,
      entry.amount,
      entry.balance,
      BigInt(entry.at),
      entry.request,
      entry.note,
      entry.author,
      entry.receiptHash,
      entry.previousHash,
      entry.hash,
      entry.key,
      BigInt(entry.budgetBits),
    )
    return entry
  }

  end(account: string): LedgerEnd {
    const row = this.#end.get(account)
    return row ? { ...row, number: Number(row.number) } : EMPTY_BOOK
  }

  #require(idOrName: string): AccountRecord {
    const account = this.find(idOrName)
    if (!account) throw refusals.noAccount(idOrName)
    return account
  }
}

interface AccountParts {
  readonly transactions: Transactions
  readonly accounts: Accounts
  readonly keys: Keys
}

export function accountMethods(parts: AccountParts): DirectStore["accounts"] {
  const { transactions, accounts, keys } = parts
  return {
    find: (idOrName) => accounts.find(idOrName),
    list: () => accounts.list(),
    any: () => accounts.any(),
    create: (account, audit) => transactions.audited(audit, () => accounts.create(account)),
    update: (id, change, audit) =>
      transactions.audited(audit, () => {
        if (concernsRequests(change)) keys.touchAll(id)
        return accounts.update(id, change)
      }),
  }
}
