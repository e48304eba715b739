import type { EntryRecord } from "../../accounting/chained-records.ts"
import type {
  NewPayment,
  CardPayment,
  OpenReversal,
  PaidAmount,
  Reversal,
  ReversalSettlement,
} from "../payments.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import { findDebts, receive, changeDebt, debtOf } from "./debts.ts"
import { addEntry, lockFree } from "./ledger-lines.ts"
import { sql, FOR_UPDATE, larger } from "./sql.ts"
import {
  exists,
  run,
  snapshot,
  statements,
  type Step,
  type StepMethods,
  transaction,
  row,
} from "./step.ts"
import { owedOf } from "../../accounting/card-reversals.ts"
import { RecordColumns } from "./record-columns.ts"

export const paymentSteps: StepMethods<Store["payments"]> = {
  findCard: statements(findCardPayment),
  listPaidAmounts: statements(listPaidAmounts),
  findDebts: snapshot(findDebts),
  add: transaction((payment, audit) => audited(audit, receive(add(payment)))),
  rememberCard: statements(rememberCard),
  noteReversal: transaction(noteReversal),
  settleReversal: transaction((settlement, audit) => audited(audit, settleReversal(settlement))),
}

function* add(payment: NewPayment): Step<EntryRecord> {
  const { id, account, amount, at, note, author = null, card } = payment
  const isKnown = yield* exists(sql`SELECT entry FROM payments WHERE id = ${id}`)
  if (isKnown) throw rejections.paymentIsKnown(id)
  const entry = yield* addEntry({ account, kind: "payment", amount, at, note, author })
  // The payment may be reported twice at the same time.
  yield* run(
    sql`INSERT INTO payments (id, account, entry) VALUES (${id}, ${account}, ${entry.number})`,
    { payments_pkey: () => rejections.paymentIsKnown(id) },
  )
  if (card) yield* rememberCard({ ...card, payment: id, account, amount })
  return entry
}

interface PaymentRow extends CardPayment {
  /** The amount that was taken back, in nanocredits. */
  readonly taken: bigint
}

const REVERSAL = new RecordColumns<
  Pick<Reversal, "kind" | "isUndone"> & { readonly units: bigint }
>({
  kind: "text",
  units: "bigint",
  isUndone: "boolean",
})
const PAID = new RecordColumns<PaidAmount>({ entry: "number", units: "bigint", currency: "text" })

/** The fields that all entries of a settlement share. */
type ReversalLine = Pick<ReversalSettlement, "at" | "note" | "author"> & {
  readonly account: string
}

const SELECT = sql`SELECT intent, payment, account, amount, units, currency, taken FROM card_payments`

function* findCardPayment(intent: string): Step<CardPayment | null> {
  const found = yield* row<PaymentRow>(sql`${SELECT} WHERE intent = ${intent}`)
  if (!found) return null
  const { taken: _taken, ...payment } = found
  return payment
}

function listPaidAmounts(account: string, first: number, last: number): Step<PaidAmount[]> {
  return PAID.rows(
    sql`SELECT ${PAID.selected} FROM card_payments JOIN payments ON payments.id = payment
      WHERE card_payments.account = ${account} AND entry BETWEEN ${first} AND ${last} ORDER BY entry`,
  )
}

/** Stores the ids by which reports refer to a payment in the ledger. Ids that are already known stay unchanged. */
function* rememberCard(card: CardPayment): Step<void> {
  const { intent, payment, account, amount, units, currency } = card
  yield* run(
    sql`INSERT INTO card_payments (intent, payment, account, amount, units, currency)
      VALUES (${intent}, ${payment}, ${account}, ${amount}, ${units}, ${currency}) ON CONFLICT (intent) DO NOTHING`,
  )
}

/**
 * Records a refund or dispute of a payment. The payment is locked first, so that the open amount includes all known
 * reversals, regardless of their order.
 */
function* noteReversal(reversal: Reversal): Step<OpenReversal> {
  const payment = yield* lockPayment(reversal.intent)
  const { id, intent, kind, isUndone } = reversal
  const units = larger(sql`reversals.units`, sql`excluded.units`)
  yield* run(
    sql`INSERT INTO reversals (id, intent, kind, units, is_undone)
      VALUES (${id}, ${intent}, ${kind}, ${reversal.units ?? payment.units}, ${isUndone})
      ON CONFLICT (id) DO UPDATE SET units = ${units}, is_undone = reversals.is_undone OR excluded.is_undone`,
  )
  return { account: payment.account, amount: (yield* owed(payment)) - payment.taken }
}

function* settleReversal(settlement: ReversalSettlement): Step<OpenReversal> {
  const { intent, amount, at, note, author } = settlement
  const payment = yield* lockPayment(intent)
  const { account, taken } = payment
  const all = yield* owed(payment)
  const open = { account, amount: all - taken }
  if (open.amount === 0n) throw rejections.reversalIsSettled()
  if (open.amount !== amount) throw rejections.reversalHasGrown()
  const line = { account, at, note, author }
  if (amount > 0n) yield* take(line, amount)
  else yield* giveBack(line, -amount)
  yield* run(sql`UPDATE card_payments SET taken = ${all} WHERE intent = ${intent}`)
  return open
}

/** Takes the unleased part of the amount. The rest becomes a debt. */
function* take(line: ReversalLine, amount: bigint): Step<void> {
  const { account, at, note } = line
  const free = yield* lockFree(account)
  const taken = free < amount ? free : amount
  if (taken > 0n) yield* addEntry({ ...line, kind: "reversal", amount: -taken })
  if (taken < amount) yield* changeDebt({ account, amount: amount - taken, at, note })
}

/** Reduces the account's debt by the amount, and adds the rest to its balance. */
function* giveBack(line: ReversalLine, amount: bigint): Step<void> {
  const { account, at, note } = line
  yield* lockFree(account)
  const debt = yield* debtOf(account)
  const off = debt < amount ? debt : amount
  if (off > 0n) yield* changeDebt({ account, amount: -off, at, note })
  if (off < amount) yield* addEntry({ ...line, kind: "reversal", amount: amount - off })
}

/** Returns the total amount to take back from a payment, in nanocredits. */
function* owed(payment: PaymentRow): Step<bigint> {
  const reversals = yield* REVERSAL.rows(
    sql`SELECT ${REVERSAL.selected} FROM reversals WHERE intent = ${payment.intent}`,
  )
  return owedOf(payment, reversals)
}

function* lockPayment(intent: string): Step<PaymentRow> {
  const found = yield* row<PaymentRow>(sql`${SELECT} WHERE intent = ${intent} ${FOR_UPDATE}`)
  if (!found) throw rejections.noPayment(intent)
  return found
}
