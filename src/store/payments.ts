import type { DebtLine, EntryRecord } from "../accounting/chained-records.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** All records of an account's debt, read at one moment. They must agree with each other. */
export interface DebtLedger {
  /** The lines in ascending order. For a payment, `paid` is the amount of the entry that paid it. */
  readonly lines: readonly { readonly line: DebtLine; readonly paid: bigint | null }[]
  /** The sum of the entries that take back card payments, and the sum of the entries that pay debts. */
  readonly reversed: bigint
  readonly paid: bigint
  /** The amount that was taken back from the account's card payments, including debts. */
  readonly taken: bigint
}

/** A card payment that later reversals may refer to. */
export interface CardPayment {
  /** The id by which refunds and disputes refer to the payment. */
  readonly intent: string
  /** The payment's id in the ledger. */
  readonly payment: string
  readonly account: string
  /** The granted credits in nanocredits. */
  readonly amount: bigint
  /** The paid amount in the currency's smallest units. */
  readonly units: bigint
  readonly currency: string
}

/** A refund or dispute that takes back a card payment, partly or completely. */
export interface Reversal {
  /** The id of the reversal. Repeated reports of the same id count once. */
  readonly id: string
  readonly intent: string
  /** For a charge, `units` is the total refunded amount. For a refund or dispute, it is the amount taken back. */
  readonly kind: "charge" | "refund" | "dispute"
  /** The amount in the currency's smallest units; null for the whole payment. */
  readonly units: bigint | null
  /**
   * Whether the refund failed or the dispute was won. In this case the reversal takes nothing, even if later reports
   * differ.
   */
  readonly isUndone: boolean
}

/** The part of a payment's reversals that has not been settled yet. */
export interface OpenReversal {
  readonly account: string
  /** Positive if the account pays the amount, negative if the account gets it back. */
  readonly amount: bigint
}

export interface ReversalSettlement {
  readonly intent: string
  /** The amount that `noteReversal` has returned. */
  readonly amount: bigint
  readonly at: number
  readonly note: string
  readonly author: string
}

/** A payment that was made outside the gateway. */
export interface NewPayment {
  /** The payment's id at its source. Repeated reports of the same id result in one entry. */
  readonly id: string
  readonly account: string
  readonly amount: bigint
  readonly at: number
  readonly note: string | null
  readonly author?: string | null
  /** The ids by which refunds and disputes refer to the payment; absent if unknown. */
  readonly card?: Pick<CardPayment, "intent" | "units" | "currency">
}

/** The amount that was paid by card for the credits of an entry. */
export interface PaidAmount {
  /** The number of the entry. */
  readonly entry: number
  /** The amount in the currency's smallest units, including taxes and discounts of the payment page. */
  readonly units: bigint
  readonly currency: string
}

/** Reads payments, and the debts that reversed payments cause. */
export interface PaymentReads {
  findCard(intent: string): Promise<CardPayment | null>
  /** Returns the amounts that were paid for an account's entries in a range of numbers, both inclusive. */
  listPaidAmounts(account: string, first: number, last: number): Promise<PaidAmount[]>
  /** Returns all records of an account's debt, read at one moment. */
  findDebts(account: string): Promise<DebtLedger>
}

export interface PaymentWrites {
  /**
   * Adds an entry of kind `payment`.
   * @throws StoreError `exists` if the payment was already added.
   */
  add(payment: NewPayment, audit: NewAuditRecord): Promise<EntryRecord>
  /** Stores the ids by which reversals refer to a payment in the ledger. */
  rememberCard(payment: CardPayment): Promise<void>
  /**
   * Records a reversal once, regardless of the number and order of its reports.
   * @returns the amount to settle, based on all known reversals.
   * @throws StoreError `not_found` if the payment is unknown.
   */
  noteReversal(reversal: Reversal): Promise<OpenReversal>
  /**
   * Takes the unleased part of the amount from the account, or returns the amount, with entries of kind `reversal`. The
   * rest becomes a debt. Until the debt is paid, no credits of the account are leased, and new or returned credits pay
   * it with entries of kind `debt`.
   * @throws StoreError `exists` if nothing is left to settle, `conflict` if the amount differs.
   */
  settleReversal(settlement: ReversalSettlement, audit: NewAuditRecord): Promise<OpenReversal>
}
