import type { DebtLine, EntryRecord } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashDebt } from "../../accounting/hash-chain.ts"
import type { DebtLedger } from "../payments.ts"
import { addEntry, lockFree } from "./ledger-lines.ts"
import { RecordColumns } from "./record-columns.ts"
import { endRecall, recallFor, RECALLS_FOREVER } from "./recalls.ts"
import { oneOf, sql } from "./sql.ts"
import { row, rows, run, type Step } from "./step.ts"

const LINE = new RecordColumns<DebtLine>(
  {
    account: "text",
    number: "number",
    amount: "bigint",
    debt: "bigint",
    at: "number",
    note: "text",
    entry: "number",
    previousHash: "text",
    hash: "text",
  },
  "debts",
)

/** Returns the debt of an account. Credits of an account with a debt are not leased. New credits pay the debt first. */
export function* debtOf(account: string): Step<bigint> {
  return (yield* endOfDebts(account))?.debt ?? 0n
}

/** Increases or reduces the debt of an account. The balance of the account must be locked. */
export function* changeDebt(
  change: Pick<DebtLine, "account" | "amount" | "at" | "note">,
): Step<void> {
  yield* append({ ...change, entry: null })
}

/** Adds an entry. If it adds credits, these pay the account's debt. */
export function* receive(entry: Step<EntryRecord>): Step<EntryRecord> {
  const received = yield* entry
  if (received.amount > 0n) yield* collectDebt(received.account, received.at)
  return received
}

/**
 * Pays the debts of accounts with returned credits.
 * @param owners owners whose balances the transaction has locked. Budgets among them have no debts.
 */
export function* collectDebts(owners: readonly string[], at: number): Step<void> {
  const indebted = yield* rows<{ owner: string }>(
    sql`SELECT owner FROM recalls WHERE owner ${oneOf(owners)} AND node = ${RECALLS_FOREVER.debt}`,
  )
  for (const { owner } of indebted) yield* collectDebt(owner, at)
}

/** Pays the debt of an account with its unleased credits. The balance of the account must be locked. */
function* collectDebt(account: string, at: number): Step<void> {
  const debt = yield* debtOf(account)
  if (debt === 0n) return
  const free = yield* lockFree(account)
  const amount = free < debt ? free : debt
  if (amount <= 0n) return
  const note = "Pays for card payments that were taken back"
  const { number } = yield* addEntry({
    account,
    kind: "debt",
    amount: -amount,
    at,
    note,
    author: null,
  })
  yield* append({ account, amount: -amount, at, note, entry: number })
}

/** Reads all records of an account's debt. They must agree with each other. */
export function* findDebts(account: string): Step<DebtLedger> {
  const lines = yield* rows<{ readonly paid: bigint | null }>(
    sql`SELECT ${LINE.selected}, entries.amount AS paid
      FROM debts LEFT JOIN entries ON entries.account = debts.account AND entries.number = debts.entry
        AND entries.kind = 'debt'
      WHERE debts.account = ${account} ORDER BY debts.number`,
  )
  // The index on kinds contains no charges. It is only used if the query excludes charges.
  const ofAccount = sql`account = ${account} AND number IS NOT NULL AND kind <> 'charge'`
  const sums = yield* row<Pick<DebtLedger, "reversed" | "paid" | "taken">>(
    sql`SELECT
        CAST(coalesce((SELECT sum(amount) FROM entries WHERE ${ofAccount} AND kind = 'reversal'), 0) AS bigint) AS reversed,
        CAST(coalesce((SELECT sum(amount) FROM entries WHERE ${ofAccount} AND kind = 'debt'), 0) AS bigint) AS paid,
        CAST(coalesce((SELECT sum(taken) FROM card_payments WHERE account = ${account}), 0) AS bigint) AS taken`,
  )
  return {
    lines: lines.map((line) => ({ line: LINE.read(line), paid: line.paid })),
    reversed: sums?.reversed ?? 0n,
    paid: sums?.paid ?? 0n,
    taken: sums?.taken ?? 0n,
  }
}

interface DebtEnd {
  readonly number: bigint
  readonly debt: bigint
  readonly hash: string
}

function endOfDebts(account: string): Step<DebtEnd | null> {
  return row(
    sql`SELECT number, debt, hash FROM debts WHERE account = ${account} ORDER BY number DESC LIMIT 1`,
  )
}

function* append(line: Omit<DebtLine, "number" | "debt" | "previousHash" | "hash">): Step<void> {
  const end = yield* endOfDebts(line.account)
  const unhashed = {
    ...line,
    number: Number(end?.number ?? 0n) + 1,
    debt: (end?.debt ?? 0n) + line.amount,
    previousHash: end?.hash ?? GENESIS_HASH,
  }
  const { account, debt } = unhashed
  const values = LINE.values({ ...unhashed, hash: hashDebt(unhashed) })
  yield* run(sql`INSERT INTO debts (${LINE.names}) VALUES (${values})`)
  if (debt > 0n) yield* recallFor("debt", account, debt)
  else yield* endRecall("debt", account)
}
