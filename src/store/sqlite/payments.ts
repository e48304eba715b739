import type { Database, Statement } from "bun:sqlite"
import type { EntryRecord } from "../../accounting/chained-records.ts"
import type { NewPayment } from "../payments.ts"
import { refusals } from "../refusals.ts"
import type { Accounts } from "./accounts.ts"
import type { CardPayments } from "./card-payments.ts"
import type { Debts } from "./debts.ts"
import type { DirectStore } from "./direct-store.ts"
import type { Transactions } from "./transactions.ts"

/** Payments from outside, each in the ledger once. What writes expects to run inside a transaction. */
export class Payments {
  readonly #accounts: Accounts
  readonly #cards: CardPayments
  readonly #find: Statement<unknown, [string]>
  readonly #insert: Statement<unknown, [string, string, bigint]>

  constructor(database: Database, accounts: Accounts, cards: CardPayments) {
    this.#accounts = accounts
    this.#cards = cards
    this.#find = database.prepare("SELECT 1 FROM payments WHERE id = ?")
    this.#insert = database.prepare("INSERT INTO payments VALUES (?, ?, ?)")
  }

  add({ id, account, amount, at, note, author = null, card }: NewPayment): EntryRecord {
    if (this.#find.get(id) !== null) {
      throw refusals.paymentIsKnown(id)
    }
    const entry = this.#accounts.addEntry({ account, kind: "payment", amount, at, note, author })
    this.#insert.run(id, entry.account, BigInt(entry.number))
    if (card) this.#cards.know({ ...card, payment: id, account: entry.account, amount })
    return entry
  }
}

interface PaymentParts {
  readonly transactions: Transactions
  readonly payments: Payments
  readonly cards: CardPayments
  readonly debts: Debts
}

export function paymentMethods(parts: PaymentParts): DirectStore["payments"] {
  const { transactions, payments, cards, debts } = parts
  return {
    findCard: (intent) => cards.find(intent),
    findDebts: (account) => transactions.consistently(() => debts.ledger(account)),
    add: (payment, audit) =>
      transactions.audited(audit, () => debts.received(payments.add(payment))),
    rememberCard: (payment) => transactions.atomically(() => cards.know(payment)),
    noteReversal: (reversal) => transactions.atomically(() => cards.note(reversal)),
    settleReversal: (settlement, audit) =>
      transactions.audited(audit, () => cards.settle(settlement)),
  }
}
