/**
 * Rows that are never changed or deleted, each with the hash of the previous row. Times are Unix milliseconds; amounts
 * are nanocredits.
 */

export type EntryKind =
  | "grant"
  | "charge"
  | "adjustment"
  | "refund"
  | "code"
  | "payment"
  /** Reverses a card payment, or undoes a reversal. */
  | "reversal"
  /** Pays a debt of the account. */
  | "debt"

/** One entry of an account's ledger. */
export interface EntryRecord {
  readonly account: string
  /** Counts the entries of each account from 1. */
  readonly number: number
  readonly kind: EntryKind
  readonly amount: bigint
  /** The balance after this entry. */
  readonly balance: bigint
  readonly at: number
  /** The id of the charged request. */
  readonly request: string | null
  readonly note: string | null
  readonly author: string | null
  /** Hash of the receipt's text, so that a change to the receipt is detected. */
  readonly receiptHash: string | null
  /** The id of the key of the charged request. */
  readonly key: string | null
  /** Bits of the charged budgets. */
  readonly budgetBits: number
  readonly previousHash: string
  readonly hash: string
}

/**
 * The reason why a cost was not charged. `account_empty` and `budget_empty`: the account or a budget of the key was
 * exhausted. `usage_beyond_bound`: the usage exceeded the request's bound. `late`: the process was considered dead, and
 * its credits had been returned. `unstorable`: the database rejected the values of the charge.
 */
export type WriteOffReason =
  | "account_empty"
  | "budget_empty"
  | "usage_beyond_bound"
  | "late"
  | "unstorable"

/** The part of a request's cost that is not charged. */
export interface WriteOff {
  readonly amount: bigint
  readonly reason: WriteOffReason
}

/** A write-off as a line of the ledger. */
export interface WriteOffRecord extends WriteOff {
  /** Counts the write-offs of all accounts from 1. */
  readonly number: number
  readonly at: number
  readonly account: string
  readonly key: string
  readonly request: string
  readonly previousHash: string
  readonly hash: string
}

/** One line of an account's debt. */
export interface DebtLine {
  readonly account: string
  /** Counts the debt lines of each account from 1. */
  readonly number: number
  /** Positive if the debt grows, negative for a payment or a waiver. */
  readonly amount: bigint
  /** The account's debt after this line. */
  readonly debt: bigint
  readonly at: number
  readonly note: string
  /** The ledger entry of a payment; null otherwise. */
  readonly entry: number | null
  readonly previousHash: string
  readonly hash: string
}

/** The hashed content of an audit record. */
export interface AuditFacts {
  readonly at: number
  readonly actorKind: "user" | "admin_token" | "command"
  readonly actorId: string | null
  readonly actorName: string
  /** The action, such as `key.create`, `account.entry` or `provider.change`. */
  readonly action: string
  /** The account that the action concerns. */
  readonly account: string | null
  /** The id of the changed object. */
  readonly target: string | null
  /** JSON of the API's representation before the change, without secrets. */
  readonly before: string | null
  /** JSON of the API's representation after the change, without secrets. */
  readonly after: string | null
  /** The client's network address. */
  readonly address: string | null
}

/** One record of the audit log. */
export interface AuditRecord extends AuditFacts {
  /** Counts the audit records from 1. */
  readonly number: number
  readonly previousHash: string
  readonly hash: string
}
