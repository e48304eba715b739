import type { DebtLine, EntryRecord } from "../accounting/chained-records.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** All records of an account's debt, which must agree, read at one moment. */
export interface DebtLedger {
  /** Lines in order of number, each with the amount of the entry that paid it. */
  readonly lines: readonly { readonly line: DebtLine; readonly paid: bigint | null }[]
  /** The sum of the entries that take back card payments, and of those that pay debts. */
  readonly reversed: bigint
  readonly paid: bigint
  /** The amount taken back from the account's card payments, including debts. */
  readonly taken: bigint
}

/** A card payment that later reversals refer to. */
export interface CardPayment {
  /** The id that refunds and disputes refer to. */
  readonly intent: string
  /** Its id in the ledger. */
  readonly payment: string
  readonly account: string
  /** The granted credits. */
  readonly amount: bigint
  /** The paid amount, in the currency's smallest units. */
  readonly units: bigint
  readonly currency: string
}

/** A refund or dispute that takes back a card payment, in part or in full. */
export interface Reversal {
  /** Its own id: repeated reports count once. */
  readonly id: string
  readonly intent: string
  /** For a charge, `units` is its total refunded amount; for the others, the amount that each takes. */
  readonly kind: "charge" | "refund" | "dispute"
  /** In the currency's smallest units; null: the whole payment. */
  readonly units: bigint | null
  /** True if it failed or was won. It then takes nothing, even if more is reported later. */
  readonly isUndone: boolean
}

/** The part of a payment's reversals that is not settled yet. */
export interface OpenReversal {
  readonly account: string
  /** Positive: to be taken from the account. Negative: to be returned. */
  readonly amount: bigint
}

export interface ReversalSettlement {
  readonly intent: string
  /** The amount returned by `noteReversal`. */
  readonly amount: bigint
  readonly at: number
  readonly note: string
  readonly author: string
}

/** A payment from outside. */
export interface NewPayment {
  /** The payment's id at its source. Repeated reports result in one entry. */
  readonly id: string
  readonly account: string
  readonly amount: bigint
  readonly at: number
  readonly note: string | null
  readonly author?: string | null
  /** The ids that refunds and disputes refer to; absent if unknown. */
  readonly card?: Pick<CardPayment, "intent" | "units" | "currency">
}

/** Reads payments, and the debts that result from reversed ones. */
export interface PaymentReads {
  findCard(intent: string): Promise<CardPayment | null>
  /** Returns all records of an account's debt, which must agree. */
  findDebts(account: string): Promise<DebtLedger>
}

export interface PaymentWrites {
  /**
   * Adds an entry of kind `payment`.
   * @throws StoreError `exists` if the payment was reported before.
   */
  add(payment: NewPayment, audit: NewAuditRecord): Promise<EntryRecord>
  /** Records the ids that reversals of a payment in the ledger refer to. */
  rememberCard(payment: CardPayment): Promise<void>
  /**
   * Records a reversal, once, regardless of the number and order of its reports.
   * @returns the amount to settle, from all known reversals.
   * @throws StoreError `not_found` if the payment is unknown.
   */
  noteReversal(reversal: Reversal): Promise<OpenReversal>
  /**
   * Takes the amount from the account, as far as it is not leased, or returns it: entries of kind `reversal`. The rest
   * becomes a debt. Until it is paid, nothing of the account is leased, and incoming or returned credits pay it with
   * entries of kind `debt`.
   * @throws StoreError `exists` if nothing is open, `conflict` if the amount differs.
   */
  settleReversal(settlement: ReversalSettlement, audit: NewAuditRecord): Promise<OpenReversal>
}
