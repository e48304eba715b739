/**
 * Rows that are never changed or deleted, each with the hash of the one before. Times are Unix milliseconds;
 * amounts are nanocredits.
 */

export type EntryKind =
  | "grant"
  | "charge"
  | "adjustment"
  | "refund"
  | "code"
  | "payment"
  /** A card payment is reversed, or the reversal is undone. */
  | "reversal"
  /** Pays what the account owes. */
  | "debt"

/** One line of an account's ledger. Never changed, never deleted; each carries the hash of the one before. */
export interface EntryRecord {
  readonly account: string
  /** 1, 2, 3 ... in each account. */
  readonly number: number
  readonly kind: EntryKind
  readonly amount: bigint
  /** The balance after this entry. */
  readonly balance: bigint
  readonly at: number
  /** The request that a charge is for. */
  readonly request: string | null
  readonly note: string | null
  readonly author: string | null
  /** Of the receipt's text, so that a changed receipt shows. */
  readonly receiptHash: string | null
  /** The key that a charge was made with. */
  readonly key: string | null
  /** Bits of the budgets that a charge drew on. */
  readonly budgetBits: number
  readonly previousHash: string
  readonly hash: string
}

/**
 * Why a cost was not charged: the account or a budget of the key had no more; the usage exceeded the request's
 * bound; it came after its process had been considered dead, and its credits were gone; the database rejected the
 * values of the charge.
 */
export type WriteOffReason =
  | "account_empty"
  | "budget_empty"
  | "usage_beyond_bound"
  | "late"
  | "unstorable"

/** A part of a cost that is not charged to anyone. */
export interface WriteOff {
  readonly amount: bigint
  readonly reason: WriteOffReason
}

/** A write-off as a line of the ledger. Never changed, never deleted; each carries the hash of the one before. */
export interface WriteOffRecord extends WriteOff {
  /** 1, 2, 3 ... over all accounts. */
  readonly number: number
  readonly at: number
  readonly account: string
  readonly key: string
  readonly request: string
  readonly previousHash: string
  readonly hash: string
}

/** One line of what an account owes. Never changed, never deleted; each carries the hash of the one before. */
export interface DebtLine {
  readonly account: string
  /** 1, 2, 3 ... in each account. */
  readonly number: number
  /** Above zero: the debt grows. Below: a payment or a waiver. */
  readonly amount: bigint
  /** The debt after this line. */
  readonly debt: bigint
  readonly at: number
  readonly note: string
  /** The ledger entry that paid; null where nothing was paid. */
  readonly entry: number | null
  readonly previousHash: string
  readonly hash: string
}

/** What an audit record says of a change. */
export interface AuditFacts {
  readonly at: number
  readonly actorKind: "user" | "admin_token" | "command"
  readonly actorId: string | null
  readonly actorName: string
  /** `key.create`, `account.entry`, `provider.change`. */
  readonly action: string
  /** The account concerned. */
  readonly account: string | null
  /** The id of what was changed. */
  readonly target: string | null
  /** JSON of what the API showed before; never contains a secret. */
  readonly before: string | null
  /** JSON of what the API shows now; never contains a secret. */
  readonly after: string | null
  /** The client's network address. */
  readonly address: string | null
}

/** One line of the audit log. Never changed, never deleted; each carries the hash of the one before. */
export interface AuditRecord extends AuditFacts {
  /** 1, 2, 3 ... */
  readonly number: number
  readonly previousHash: string
  readonly hash: string
}
