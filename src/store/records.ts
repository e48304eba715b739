/** Times are Unix milliseconds; amounts are nanocredits. */

export interface AccountRecord {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  /** The posted sum: what all entries add up to. */
  readonly balance: bigint
  /** The part of the balance that nodes hold leases on. */
  readonly leased: bigint
}

export type EntryKind = "grant" | "charge" | "adjustment" | "refund"

/** One line of an account's book. Never changed, never deleted; each carries the hash of the one before. */
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
  readonly previousHash: string
  readonly hash: string
}

export interface NewEntry {
  readonly account: string
  readonly kind: Exclude<EntryKind, "charge">
  readonly amount: bigint
  readonly at: number
  readonly note: string | null
  readonly author: string | null
}

export interface KeyRecord {
  readonly id: string
  readonly account: string
  readonly name: string
  /** Globs of the models it may call; null means all. */
  readonly models: readonly string[] | null
  /** All it may ever spend; null means no budget of its own. */
  readonly budget: bigint | null
  /** What is left of the budget, posted; null without one. */
  readonly budgetLeft: bigint | null
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The newest first. */
  readonly secrets: readonly KeySecretRecord[]
}

export interface KeySecretRecord {
  /** HMAC of the key, hexadecimal. The key itself is nowhere. */
  readonly hash: string
  /** The last characters of the key, to tell keys apart. */
  readonly hint: string
  readonly createdAt: number
  /** When a rotated secret stops working; null for the one in force. */
  readonly expiresAt: number | null
}

export type NewKey = Omit<KeyRecord, "budgetLeft" | "revokedAt" | "secrets"> & {
  readonly secret: KeySecretRecord
}

/** Who pays, and with which key. */
export interface Payer {
  readonly account: string
  readonly key: string
  /** Whether the key has a budget of its own. */
  readonly budgeted: boolean
}

/** A process that holds leases. */
export interface NodeRecord {
  readonly id: string
  readonly process: number
  readonly host: string
  readonly beatAt: number
}

/** A hold that was open when the journal last wrote. */
export interface HoldRecord {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly amount: bigint
  readonly at: number
  /** The receipt to keep if the process dies before the request ends. */
  readonly receipt: string
}

/** One settled request on its way to the book. */
export interface Posting {
  readonly request: string
  readonly account: string
  readonly key: string
  /** Whether the key has a budget that this draws on. */
  readonly budgeted: boolean
  readonly amount: bigint
  readonly at: number
  readonly receipt: string
}

export interface Batch {
  readonly postings: readonly Posting[]
  readonly opened: readonly HoldRecord[]
  /** Requests whose recorded holds are over. */
  readonly closed: readonly string[]
}

export interface Posted {
  readonly request: string
  /** What was really taken: less than asked only when a lease was lost. */
  readonly charged: bigint
  /** The part of it that came out of the node's lease on the account. */
  readonly fromLease: bigint
  /** The part of it that came out of the node's lease on the key's budget. */
  readonly fromBudgetLease: bigint
  /** The account's balance after it. */
  readonly balance: bigint
}

export interface LeaseOrder {
  readonly node: string
  /** An account, or a key with a budget. */
  readonly owner: string
  readonly wanted: bigint
  /** Less than this is of no use: it stays with the owner, where another node finds it. */
  readonly least: bigint
}

export interface LeaseGrant {
  readonly granted: bigint
  /** The owner's posted balance. */
  readonly posted: bigint
  /** What nobody has leased now. */
  readonly free: bigint
  /** What other nodes hold leases on. */
  readonly leasedElsewhere: bigint
}

/** What a node learns each time it looks. */
export interface NodeNews {
  /** False when the node was taken for dead: its leases are gone. */
  readonly known: boolean
  readonly nodes: number
  /** Grows with every change of keys or accounts. */
  readonly revision: number
  /** Owners whose idle leases another node asks back. */
  readonly recalls: readonly string[]
}

export interface ReceiptRecord {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly at: number
  readonly body: string
  /** Absent when nothing was charged. */
  readonly entry: EntryRecord | null
}
