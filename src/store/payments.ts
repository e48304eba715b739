import type { DebtLine, EntryRecord } from "../accounting/chained-records.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

/** All that has to agree about what an account owes, read at one moment. */
export interface DebtLedger {
  /** In the order of their numbers, each with the amount of the entry that paid it. */
  readonly lines: readonly { readonly line: DebtLine; readonly paid: bigint | null }[]
  /** The sum of the entries that take card payments back, and of those that pay debts. */
  readonly reversed: bigint
  readonly paid: bigint
  /** What is taken back of the account's card payments, debts included. */
  readonly taken: bigint
}

/** What is known of a card payment, for when it is taken back. */
export interface CardPayment {
  /** Its id where refunds and disputes name it. */
  readonly intent: string
  /** Its id in the ledger. */
  readonly payment: string
  readonly account: string
  /** The credits that it gave. */
  readonly amount: bigint
  /** What was paid, in the currency's smallest units. */
  readonly units: bigint
  readonly currency: string
}

/** Something that takes a card payment back, in part or whole. */
export interface Reversal {
  /** Its own id: reported again it counts once. */
  readonly id: string
  readonly intent: string
  /** Of a charge, what is refunded of it in all; of the others, what each takes. */
  readonly kind: "charge" | "refund" | "dispute"
  /** In the currency's smallest units; null: the whole payment. */
  readonly units: bigint | null
  /** It failed, or was won: it takes nothing any more, whatever is reported later. */
  readonly isUndone: boolean
}

/** What has yet to happen because of a payment's reversals. */
export interface OpenReversal {
  readonly account: string
  /** Above zero: to be taken from the account. Below: to be given back. */
  readonly amount: bigint
}

export interface ReversalSettlement {
  readonly intent: string
  /** As `noteReversal` has said it. */
  readonly amount: bigint
  readonly at: number
  readonly note: string
  readonly author: string
}

/** Money that came in from outside. */
export interface NewPayment {
  /** The payment's id where it was made: it becomes one entry, however often it is reported. */
  readonly id: string
  readonly account: string
  readonly amount: bigint
  readonly at: number
  readonly note: string | null
  readonly author?: string | null
  /** By which names refunds and disputes of it are reported; absent where it is not known. */
  readonly card?: Pick<CardPayment, "intent" | "units" | "currency">
}

/** Payments from outside, what takes them back, and what accounts owe because of that. */
export interface PaymentReads {
  findCard(intent: string): Promise<CardPayment | null>
  /** All that has to agree about what an account owes. */
  findDebts(account: string): Promise<DebtLedger>
}

export interface PaymentWrites {
  /** An entry of kind `payment`. @throws StoreError `exists` for a payment that is reported again. */
  add(payment: NewPayment, audit: NewAuditRecord): Promise<EntryRecord>
  /** Records by which names a payment that is in the ledger is reported. */
  rememberCard(payment: CardPayment): Promise<void>
  /**
   * Records what takes a payment back: once, however often and in whichever order it is reported.
   * @returns what to settle now, from all that is known.
   * @throws StoreError `not_found` when the payment is not known.
   */
  noteReversal(reversal: Reversal): Promise<OpenReversal>
  /**
   * Takes it from the account, as far as no one has leased it, or gives it back: entries of kind
   * `reversal`. What is missing is owed: until it is paid nothing of the account is leased, and what comes
   * in or comes back pays it, by entries of kind `debt`.
   * @throws StoreError `exists` when nothing is open, `conflict` when it is not the amount.
   */
  settleReversal(settlement: ReversalSettlement, audit: NewAuditRecord): Promise<OpenReversal>
}
