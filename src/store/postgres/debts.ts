import type { DebtLine, EntryRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashDebt } from "../../accounting/hash-chain.ts"
import type { DebtLedger } from "../payments.ts"
import { texts } from "./arrays.ts"
import type { Statements } from "./client.ts"
import { addEntry, lockBalance } from "./ledger-lines.ts"
import { endRecall, RECALLS_FOREVER, recallFor } from "./recalls.ts"

interface DebtRow {
  readonly account: string
  readonly number: bigint
  readonly amount: bigint
  readonly debt: bigint
  readonly at: bigint
  readonly note: string
  readonly entry: bigint | null
  readonly previous_hash: string
  readonly hash: string
  readonly paid: bigint | null
}

/** What an account owes: while that is above zero, none of its credits are leased, and whatever comes in pays first. */
export async function debtOf(statements: Statements, account: string): Promise<bigint> {
  return (await endOfDebts(statements, account))?.debt ?? 0n
}

/** An account owes more, or is let off with a part of it. Its balance has to be locked. */
export async function changeDebt(
  transaction: Statements,
  change: Pick<DebtLine, "account" | "amount" | "at" | "note">,
): Promise<void> {
  await appendDebt(transaction, { ...change, entry: null })
}

/** What comes in pays first what the account owes. */
export async function received(transaction: Statements, entry: EntryRecord): Promise<EntryRecord> {
  if (entry.amount > 0n) await collectDebt(transaction, entry.account, entry.at)
  return entry
}

/** Pays what an account, whose balance is locked, owes with what no one holds or has leased. */
async function collectDebt(transaction: Statements, account: string, at: number): Promise<void> {
  const debt = await debtOf(transaction, account)
  if (debt === 0n) return
  const { posted, leased } = await lockBalance(transaction, account)
  const free = posted - leased
  const amount = free < debt ? free : debt
  if (amount <= 0n) return
  const note = "Pays for card payments that were taken back"
  const paying = { account, kind: "debt", amount: -amount, at, note, author: null } as const
  const { number } = await addEntry(transaction, paying)
  await appendDebt(transaction, { account, amount: -amount, at, note, entry: number })
}

/**
 * Pays what accounts owe with what has come back to them.
 * @param owners whose balances the transaction has locked, whatever they are.
 */
export async function collectDebts(
  transaction: Statements,
  owners: readonly string[],
  at: number,
): Promise<void> {
  const indebted = await transaction.rows<{ owner: string }>(
    "SELECT owner FROM recalls WHERE owner = ANY($1) AND node = $2",
    [texts(owners), RECALLS_FOREVER.debt],
  )
  for (const { owner } of indebted) await collectDebt(transaction, owner, at)
}

/** All that has to agree about what an account owes. */
export async function findDebts(statements: Statements, account: string): Promise<DebtLedger> {
  const rows = await statements.rows<DebtRow>(
    `SELECT debts.account, debts.number, debts.amount, debt, debts.at, debts.note, entry,
       debts.previous_hash, debts.hash, entries.amount AS paid
     FROM debts LEFT JOIN entries ON entries.account = debts.account AND entries.number = debts.entry
       AND entries.kind = 'debt'
     WHERE debts.account = $1 ORDER BY debts.number`,
    [account],
  )
  const sums = await statements.row<{ reversed: bigint; paid: bigint; taken: bigint }>(
    `SELECT
       coalesce((SELECT sum(amount) FROM entries WHERE account = $1 AND kind = 'reversal' AND kind <> 'charge'), 0)::bigint AS reversed,
       coalesce((SELECT sum(amount) FROM entries WHERE account = $1 AND kind = 'debt' AND kind <> 'charge'), 0)::bigint AS paid,
       coalesce((SELECT sum(taken) FROM card_payments WHERE account = $1), 0)::bigint AS taken`,
    [account],
  )
  return {
    lines: rows.map((row) => ({ line: lineFromRow(row), paid: row.paid })),
    reversed: sums?.reversed ?? 0n,
    paid: sums?.paid ?? 0n,
    taken: sums?.taken ?? 0n,
  }
}

function endOfDebts(statements: Statements, account: string) {
  return statements.row<Pick<DebtRow, "number" | "debt" | "hash">>(
    "SELECT number, debt, hash FROM debts WHERE account = $1 ORDER BY number DESC LIMIT 1",
    [account],
  )
}

async function appendDebt(
  transaction: Statements,
  line: Omit<DebtLine, "number" | "debt" | "previousHash" | "hash">,
): Promise<void> {
  const end = await endOfDebts(transaction, line.account)
  const unhashed = {
    ...line,
    number: Number(end?.number ?? 0n) + 1,
    debt: (end?.debt ?? 0n) + line.amount,
    previousHash: end?.hash ?? GENESIS_HASH,
  }
  await transaction.run(
    `INSERT INTO debts (account, number, amount, debt, at, note, entry, previous_hash, hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      unhashed.account,
      BigInt(unhashed.number),
      unhashed.amount,
      unhashed.debt,
      BigInt(unhashed.at),
      unhashed.note,
      unhashed.entry === null ? null : BigInt(unhashed.entry),
      unhashed.previousHash,
      hashDebt(unhashed),
    ],
  )
  const { account, debt } = unhashed
  if (debt > 0n) await recallFor(transaction, "debt", { owner: account, amount: debt })
  else await endRecall(transaction, "debt", account)
}

function lineFromRow(row: DebtRow): DebtLine {
  return {
    account: row.account,
    number: Number(row.number),
    amount: row.amount,
    debt: row.debt,
    at: Number(row.at),
    note: row.note,
    entry: row.entry === null ? null : Number(row.entry),
    previousHash: row.previous_hash,
    hash: row.hash,
  }
}
