import type { EntryRecord } from "../../accounting/chained-records.ts"
import type { NewPayment } from "../payments.ts"
import { rejections } from "../rejections.ts"
import type { Store } from "../store.ts"
import { audited } from "./audit.ts"
import {
  findCardPayment,
  listPaidAmounts,
  noteReversal,
  rememberCard,
  settleReversal,
} from "./card-payments.ts"
import { findDebts, receive } from "./debts.ts"
import { addEntry } from "./ledger-lines.ts"
import { sql } from "./sql.ts"
import {
  exists,
  run,
  snapshot,
  statements,
  type Step,
  type StepMethods,
  transaction,
} from "./step.ts"

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
