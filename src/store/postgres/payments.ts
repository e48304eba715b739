import type { EntryRecord } from "../../accounting/chained-records.ts"
import type { NewPayment } from "../payments.ts"
import { refusals } from "../refusals.ts"
import type { Store } from "../store.ts"
import { findCardPayment, noteReversal, rememberCard, settleReversal } from "./card-payments.ts"
import type { Statements } from "./client.ts"
import { findDebts, received } from "./debts.ts"
import { isViolationOf } from "./failure.ts"
import { addEntry } from "./ledger-lines.ts"
import type { StoreParts } from "./store-parts.ts"

export function paymentMethods({ client, audited }: StoreParts): Store["payments"] {
  return {
    findCard: (intent) => findCardPayment(client, intent),
    findDebts: (account) => client.consistently((statements) => findDebts(statements, account)),
    add: (payment, audit) =>
      audited(audit, async (transaction) => received(transaction, await add(transaction, payment))),
    // Both may run twice: what is known stays as it is.
    rememberCard: (payment) => rememberCard(client, payment),
    noteReversal: (reversal) =>
      client.transaction((transaction) => noteReversal(transaction, reversal)),
    settleReversal: (settlement, audit) =>
      audited(audit, (transaction) => settleReversal(transaction, settlement)),
  }
}

async function add(transaction: Statements, payment: NewPayment): Promise<EntryRecord> {
  const { id, account, amount, at, note, author = null, card } = payment
  const known = await transaction.row("SELECT entry FROM payments WHERE id = $1", [id])
  if (known) throw refusals.paymentIsKnown(id)
  const entry = await addEntry(transaction, { account, kind: "payment", amount, at, note, author })
  try {
    await transaction.run("INSERT INTO payments (id, account, entry) VALUES ($1, $2, $3)", [
      id,
      account,
      BigInt(entry.number),
    ])
  } catch (error) {
    // It was reported twice at the same moment.
    throw isViolationOf(error, "payments_pkey") ? refusals.paymentIsKnown(id) : error
  }
  if (card) await rememberCard(transaction, { ...card, payment: id, account, amount })
  return entry
}
