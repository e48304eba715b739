import { owedOf } from "../../accounting/card-reversals.ts"
import type { CardPayment, OpenReversal, Reversal, ReversalSettlement } from "../payments.ts"
import { refusals } from "../refusals.ts"
import type { Statements } from "./client.ts"
import { changeDebt, debtOf } from "./debts.ts"
import { addEntry, lockBalance } from "./ledger-lines.ts"

interface PaymentRow extends CardPayment {
  /** What is taken back of it, nanocredits. */
  readonly taken: bigint
}

interface ReversalRow {
  readonly kind: Reversal["kind"]
  readonly units: bigint
  readonly is_undone: boolean
}

/** What the lines of a settlement have in common. */
type ReversalLine = Pick<ReversalSettlement, "at" | "note" | "author"> & {
  readonly account: string
}

const SELECT =
  "SELECT intent, payment, account, amount, units, currency, taken FROM card_payments WHERE intent = $1"

export async function findCardPayment(
  statements: Statements,
  intent: string,
): Promise<CardPayment | null> {
  const row = await statements.row<PaymentRow>(SELECT, [intent])
  if (!row) return null
  const { taken: _taken, ...payment } = row
  return payment
}

/** Remembers how a payment that is in the ledger is reported. What is known stays. */
export async function rememberCard(
  statements: Statements,
  { intent, payment, account, amount, units, currency }: CardPayment,
): Promise<void> {
  await statements.run(
    `INSERT INTO card_payments (intent, payment, account, amount, units, currency)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (intent) DO NOTHING`,
    [intent, payment, account, amount, units, currency],
  )
}

/**
 * Records what takes a payment back. The payment is locked first, so that what is owed follows from all reversals that are
 * known, in whichever order they are reported.
 */
export async function noteReversal(
  transaction: Statements,
  reversal: Reversal,
): Promise<OpenReversal> {
  const payment = await lock(transaction, reversal.intent)
  const { id, intent, kind, isUndone } = reversal
  await transaction.run(
    `INSERT INTO reversals (id, intent, kind, units, is_undone) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (id) DO UPDATE SET units = greatest(reversals.units, excluded.units),
       is_undone = reversals.is_undone OR excluded.is_undone`,
    [id, intent, kind, reversal.units ?? payment.units, isUndone],
  )
  return { account: payment.account, amount: (await owed(transaction, payment)) - payment.taken }
}

/** Takes what is open of a payment's reversals from its account, or gives it back. */
export async function settleReversal(
  transaction: Statements,
  { intent, amount, at, note, author }: ReversalSettlement,
): Promise<OpenReversal> {
  const payment = await lock(transaction, intent)
  const { account, taken } = payment
  const all = await owed(transaction, payment)
  const open = { account, amount: all - taken }
  if (open.amount === 0n) throw refusals.reversalIsSettled()
  if (open.amount !== amount) throw refusals.reversalHasGrown()
  const line = { account, at, note, author }
  if (amount > 0n) await take(transaction, line, amount)
  else await giveBack(transaction, line, -amount)
  await transaction.run("UPDATE card_payments SET taken = $2 WHERE intent = $1", [intent, all])
  return open
}

/** Takes what is free; the rest is owed. */
async function take(transaction: Statements, line: ReversalLine, amount: bigint): Promise<void> {
  const { account, at, note } = line
  const { posted, leased } = await lockBalance(transaction, account)
  const free = posted - leased
  const taken = free < amount ? free : amount
  if (taken > 0n) await addEntry(transaction, { ...line, kind: "reversal", amount: -taken })
  if (taken < amount) await changeDebt(transaction, { account, amount: amount - taken, at, note })
}

/** Lets the account off with what it owes, and gives back the rest. */
async function giveBack(
  transaction: Statements,
  line: ReversalLine,
  amount: bigint,
): Promise<void> {
  const { account, at, note } = line
  await lockBalance(transaction, account)
  const debt = await debtOf(transaction, account)
  const off = debt < amount ? debt : amount
  if (off > 0n) await changeDebt(transaction, { account, amount: -off, at, note })
  if (off < amount) {
    await addEntry(transaction, { ...line, kind: "reversal", amount: amount - off })
  }
}

/** What to take of a payment in all, nanocredits. */
async function owed(transaction: Statements, payment: PaymentRow): Promise<bigint> {
  const rows = await transaction.rows<ReversalRow>(
    "SELECT kind, units, is_undone FROM reversals WHERE intent = $1",
    [payment.intent],
  )
  const reversals = rows.map(({ kind, units, is_undone: isUndone }) => ({ kind, units, isUndone }))
  return owedOf(payment, reversals)
}

async function lock(transaction: Statements, intent: string): Promise<PaymentRow> {
  const row = await transaction.row<PaymentRow>(`${SELECT} FOR UPDATE`, [intent])
  if (!row) throw refusals.noPayment(intent)
  return row
}
