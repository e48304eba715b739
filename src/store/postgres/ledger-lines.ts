import type { EntryKind, EntryRecord } from "../../accounting/chained-records.ts"
import { hashEntry } from "../../accounting/hash-chain.ts"
import type { NewEntry } from "../entries.ts"
import { refusals } from "../refusals.ts"
import type { Statements } from "./client.ts"
import { ENTRY_COLUMNS } from "./entry-rows.ts"

/** The largest sum that a column holds. */
const MAX = 2n ** 63n - 1n

/** An entry that is no charge: what an addition to the ledger says of itself. */
export type Addition = Omit<NewEntry, "kind"> & { readonly kind: Exclude<EntryKind, "charge"> }

/** An account's balance, locked until the transaction is over, and where its chain of entries ends. */
export interface LockedBalance {
  readonly posted: bigint
  readonly leased: bigint
  readonly number: bigint
  readonly hash: string
}

/** Locks an account's balance. @throws StoreError `not_found`. */
export async function lockBalance(
  transaction: Statements,
  account: string,
): Promise<LockedBalance> {
  const balance = await transaction.row<LockedBalance>(
    "SELECT posted, leased, number, hash FROM balances WHERE owner = $1 AND allotted IS NULL FOR UPDATE",
    [account],
  )
  if (!balance) throw refusals.noAccount(account)
  return balance
}

/**
 * Adds a line to an account's ledger and changes its balance.
 * @throws StoreError `not_found`, `insufficient`, `too_much`.
 */
export async function addEntry(transaction: Statements, addition: Addition): Promise<EntryRecord> {
  const { account, amount } = addition
  const { posted, leased, number, hash } = await lockBalance(transaction, account)
  if (posted - leased + amount < 0n) {
    throw refusals.balanceIsShort()
  }
  if (posted + amount > MAX) {
    throw refusals.balanceIsFull()
  }
  const unhashed = {
    ...addition,
    request: null,
    receiptHash: null,
    key: null,
    budgetBits: 0,
    number: Number(number) + 1,
    balance: posted + amount,
    previousHash: hash,
  }
  const entry = { ...unhashed, hash: hashEntry(unhashed) }
  await insertEntry(transaction, entry)
  await transaction.run(
    "UPDATE balances SET posted = $2, number = $3, hash = $4 WHERE owner = $1",
    [account, entry.balance, BigInt(entry.number), entry.hash],
  )
  return entry
}

async function insertEntry(transaction: Statements, entry: EntryRecord): Promise<void> {
  await transaction.run(
    `INSERT INTO entries (${ENTRY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
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
    ],
  )
}
