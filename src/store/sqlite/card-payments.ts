import type { Database, Statement } from "bun:sqlite"
import { owedOf } from "../../accounting/card-reversals.ts"
import type { CardPayment, OpenReversal, Reversal, ReversalSettlement } from "../payments.ts"
import { refusals } from "../refusals.ts"
import type { Accounts } from "./accounts.ts"
import type { Debts } from "./debts.ts"

interface PaymentRow {
  intent: string
  payment: string
  account: string
  amount: bigint
  units: bigint
  currency: string
  taken: bigint
}

interface ReversalRow {
  id: string
  kind: Reversal["kind"]
  units: bigint
  is_undone: bigint
}

/**
 * Card payments and what takes them back. What is owed follows from all reversals that are known, so they
 * may be reported in any order and any number of times. Methods that write expect to run inside a transaction.
 */
export class CardPayments {
  readonly #database: Database
  readonly #accounts: Accounts
  readonly #debts: Debts
  readonly #find: Statement<PaymentRow, [string]>
  readonly #reversals: Statement<ReversalRow, [string]>

  constructor(database: Database, accounts: Accounts, debts: Debts) {
    this.#database = database
    this.#accounts = accounts
    this.#debts = debts
    this.#find = database.prepare(
      "SELECT intent, payment, account, amount, units, currency, taken FROM card_payments WHERE intent = ?",
    )
    this.#reversals = database.prepare(
      "SELECT id, kind, units, is_undone FROM reversals WHERE intent = ?",
    )
  }

  find(intent: string): CardPayment | null {
    const row = this.#find.get(intent)
    if (!row) return null
    const { taken: _taken, ...payment } = row
    return payment
  }

  /** Remembers how a payment that is in the ledger is reported. What is known stays. */
  know({ intent, payment, account, amount, units, currency }: CardPayment): void {
    this.#database.run(
      "INSERT OR IGNORE INTO card_payments (intent, payment, account, amount, units, currency) VALUES (?, ?, ?, ?, ?, ?)",
      [intent, payment, account, amount, units, currency],
    )
  }

  note(reversal: Reversal): OpenReversal {
    const payment = this.#require(reversal.intent)
    const { id, intent, kind, isUndone } = reversal
    const units = reversal.units ?? payment.units
    this.#database.run(
      `INSERT INTO reversals (id, intent, kind, units, is_undone) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT DO UPDATE SET units = max(units, ?4), is_undone = max(is_undone, ?5)`,
      [id, intent, kind, units, isUndone ? 1n : 0n],
    )
    return { account: payment.account, amount: this.#owed(payment) - payment.taken }
  }

  settle({ intent, amount, at, note, author }: ReversalSettlement): OpenReversal {
    const payment = this.#require(intent)
    const owed = this.#owed(payment)
    const open = { account: payment.account, amount: owed - payment.taken }
    if (open.amount === 0n) throw refusals.reversalIsSettled()
    if (open.amount !== amount) throw refusals.reversalHasGrown()
    this.#database.run("UPDATE card_payments SET taken = ? WHERE intent = ?", [owed, intent])
    const line = { account: payment.account, at, note, author }
    if (amount > 0n) this.#take(line, amount)
    else this.#giveBack(line, -amount)
    return open
  }

  /** Takes what is free; the rest is owed. */
  #take(line: ReversalLine, amount: bigint): void {
    const free = this.#accounts.freeOf(line.account)
    const taken = free < amount ? free : amount
    if (taken > 0n) this.#accounts.addEntry({ ...line, kind: "reversal", amount: -taken })
    if (taken < amount) this.#debts.change(line.account, amount - taken, line.at, line.note)
  }

  /** Lets the account off with what it owes, and gives back the rest. */
  #giveBack(line: ReversalLine, amount: bigint): void {
    const debt = this.#debts.of(line.account)
    const off = debt < amount ? debt : amount
    if (off > 0n) this.#debts.change(line.account, -off, line.at, line.note)
    if (off < amount) this.#accounts.addEntry({ ...line, kind: "reversal", amount: amount - off })
  }

  /** What to take of a payment in all, nanocredits. */
  #owed(payment: PaymentRow): bigint {
    const reversals = this.#reversals
      .all(payment.intent)
      .map(({ kind, units, is_undone }) => ({ kind, units, isUndone: is_undone === 1n }))
    return owedOf(payment, reversals)
  }

  #require(intent: string): PaymentRow {
    const row = this.#find.get(intent)
    if (!row) throw refusals.noPayment(intent)
    return row
  }
}

interface ReversalLine {
  readonly account: string
  readonly at: number
  readonly note: string
  readonly author: string
}
