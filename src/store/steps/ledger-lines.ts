import type { EntryKind, EntryRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashEntry } from "../../accounting/hash-chain.ts"
import type { NewEntry } from "../entries.ts"
import { rejections } from "../rejections.ts"
import { ENTRY_COLUMNS } from "./entry-rows.ts"
import { literal, perEngine, sql, type Sql } from "./sql.ts"
import { row, run, type Step } from "./step.ts"

/** The highest amount that a column can hold. */
const MAX_BALANCE = 2n ** 63n - 1n

/** A new entry that is not a charge. */
type Addition = Omit<NewEntry, "kind"> & { readonly kind: Exclude<EntryKind, "charge"> }

/** An account's balance, which is locked until the transaction ends, and the last entry of its chain. */
interface LockedBalance {
  readonly posted: bigint
  readonly leased: bigint
  readonly number: bigint
  /** The balance after the last entry. */
  readonly balance: bigint
  readonly hash: string
}

/**
 * Selects an account's balance and the end of its chain. PostgreSQL stores both in one row, which is locked in any
 * case.
 */
function selectBalance(account: string): Sql {
  return sql`${perEngine({
    sqlite: sql`SELECT posted, leased, coalesce(last.number, 0) AS number, coalesce(last.balance, 0) AS balance,
        coalesce(last.hash, ${GENESIS_HASH}) AS hash
      FROM balances LEFT JOIN (
        SELECT number, balance, hash FROM entries
        WHERE account = ${account} AND number IS NOT NULL ORDER BY number DESC LIMIT 1) AS last ON true
      WHERE owner = ${account} AND allotted IS NULL`,
    postgresql: sql`SELECT posted, leased, number, posted AS balance, hash FROM balances
      WHERE owner = ${account} AND allotted IS NULL FOR UPDATE`,
  })}`
}

/** Locks an account's balance. @throws StoreError `not_found`. */
export function* lockBalance(account: string): Step<LockedBalance> {
  const balance = yield* row<LockedBalance>(selectBalance(account))
  if (!balance) throw rejections.noAccount(account)
  return balance
}

/**
 * Locks an account's balance.
 * @returns the part of the balance that no node has leased.
 */
export function* lockFree(account: string): Step<bigint> {
  const { posted, leased } = yield* lockBalance(account)
  return posted - leased
}

/**
 * Adds an entry to an account's ledger and changes its balance.
 * @throws StoreError `not_found`, `insufficient`, `too_much`.
 */
export function* addEntry(addition: Addition): Step<EntryRecord> {
  const { account, amount } = addition
  const { posted, leased, number, balance, hash } = yield* lockBalance(account)
  if (posted - leased + amount < 0n) throw rejections.balanceIsShort()
  if (posted + amount > MAX_BALANCE) throw rejections.balanceIsFull()
  const unhashed = {
    ...addition,
    request: null,
    receiptHash: null,
    key: null,
    budgetBits: 0,
    number: Number(number) + 1,
    balance: balance + amount,
    previousHash: hash,
  }
  const entry = { ...unhashed, hash: hashEntry(unhashed) }
  yield* insertEntry(entry)
  const chainEnd = perEngine({
    sqlite: sql``,
    postgresql: sql`, number = ${entry.number}, hash = ${entry.hash}`,
  })
  yield* run(
    sql`UPDATE balances SET posted = ${posted + amount} ${chainEnd} WHERE owner = ${account}`,
  )
  return entry
}

function* insertEntry(entry: EntryRecord): Step<void> {
  yield* run(
    sql`INSERT INTO entries (${literal(ENTRY_COLUMNS)})
      VALUES (${entry.account}, ${entry.number}, ${entry.kind}, ${entry.amount}, ${entry.balance}, ${entry.at},
        ${entry.request}, ${entry.note}, ${entry.author}, ${entry.receiptHash}, ${entry.previousHash}, ${entry.hash},
        ${entry.key}, ${entry.budgetBits})`,
  )
}
