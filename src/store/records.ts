import type { EntryRecord, WriteOff } from "../accounting/chained-records.ts"
import type { Anchor } from "../accounting/anchor.ts"
import type { BudgetLimits } from "../accounting/budget-periods.ts"
import type { VendorStateRecord } from "./vendor-state-records.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export interface AccountRecord {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  /** The posted sum: what all entries add up to. */
  readonly balance: bigint
  /** The part of the balance that nodes hold leases on. */
  readonly leased: bigint
  /** What it owes: while that is above zero, its credits pay for no request. */
  readonly debt: bigint
  /** Whether prompts and answers of its requests are kept. */
  readonly storesContent: boolean
}

/** What may be changed of an account; what is absent stays. */
export interface AccountChange {
  readonly name?: string
  readonly storesContent?: boolean
}

export interface NewEntry {
  readonly account: string
  /** The others have steps of their own. */
  readonly kind: "grant" | "adjustment" | "refund"
  readonly amount: bigint
  readonly at: number
  readonly note: string | null
  readonly author: string | null
}

/** Where the entries of a time stand: none up to `after` is of it or later, none after `last` of it or before. */
export interface EntryRange {
  readonly after: number
  readonly last: number
}

/** A line of the book with what a statement tells of a charge beside it. */
export interface StatementLine extends EntryRecord {
  readonly model: string | null
}

/** What a list of keys is narrowed to. */
export interface KeyFilter {
  /** Absent: those of all accounts. */
  readonly accounts?: readonly string[] | undefined
  readonly status?: "active" | "revoked" | "expired" | undefined
  /** When they are to have it, Unix milliseconds. */
  readonly now: number
}

export interface KeyRecord extends BudgetLimits {
  readonly id: string
  readonly account: string
  readonly name: string
  /** Globs of the models it may call; null means all. */
  readonly models: readonly string[] | null
  /** Further names of models, with the ids that they stand for; null means none. */
  readonly aliases: Readonly<Record<string, string>> | null
  /** All it may ever spend; null means no budget of its own. */
  readonly budget: bigint | null
  /** What is left of the budget, posted; null without one. */
  readonly budgetLeft: bigint | null
  /** What it may spend in a day and in a month (UTC); null means no such budget. */
  readonly dailyBudget: bigint | null
  readonly monthlyBudget: bigint | null
  /** What is left of them today and this month. */
  readonly dailyLeft: bigint | null
  readonly monthlyLeft: bigint | null
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  /** Origins of the pages that browsers let call with it; null means none but those of the settings. */
  readonly origins: readonly string[] | null
  /** Whether its account has prompts and answers kept. */
  readonly storesContent: boolean
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

/** What follows from the others, or comes later. */
type KeyState =
  | "budgetLeft"
  | "dailyLeft"
  | "monthlyLeft"
  | "revokedAt"
  | "secrets"
  | "storesContent"

export type NewKey = Omit<KeyRecord, KeyState> & {
  readonly secret: KeySecretRecord
}

/** What may be changed of a key; what is absent stays. */
export type KeyChange = Partial<Omit<KeyRecord, KeyState | "id" | "account" | "createdAt">>

/** What is left of one budget in one period, current or over. */
export interface BudgetRecord {
  /** `budgetOwner` of `budgets.ts`. */
  readonly owner: string
  readonly key: string
  readonly account: string
  /** What the charges that draw on it come to. */
  readonly spent: bigint
}

/** Who pays, and with which key. */
export interface Payer {
  readonly account: string
  readonly key: string
  /** The owners of the key's budgets in the period that this holds for. */
  readonly budgets: readonly string[]
  /** When it holds: no hold is placed outside of it. Unix milliseconds, the end exclusive. */
  readonly from: number
  readonly until: number
}

/** A process that holds leases. */
export interface NodeRecord {
  readonly id: string
  readonly process: number
  readonly host: string
  readonly beatAt: number
  /** Where it holds the lock that proves it alive; null when it holds none. */
  readonly machine: string | null
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
  /** The budgets of the key that this draws on. */
  readonly budgets: readonly string[]
  readonly amount: bigint
  /** What it cost beyond that, and nobody pays. */
  readonly writtenOff: readonly WriteOff[]
  readonly at: number
  readonly receipt: string
  /** What the vendor keeps of its answer. */
  readonly state?: readonly VendorStateRecord[] | undefined
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
  /** The part of it that came out of the node's lease on each of the key's budgets, in their order. */
  readonly fromBudgetLeases: readonly bigint[]
  /** The account's balance after it. */
  readonly balance: bigint
  /** Whether the request had expired before: its process was taken for dead. */
  readonly late: boolean
}

/** A part of a lease that goes back. */
export interface LeaseShare {
  readonly owner: string
  readonly amount: bigint
}

export interface LeaseOrder {
  readonly node: string
  /** An account, or a budget of a key. */
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
  /** What the owner owes: nothing is leased before that is paid. */
  readonly debt: bigint
}

/** What a node learns each time it looks. */
export interface NodeNews {
  /** False when the node was taken for dead: its leases are gone. */
  readonly known: boolean
  readonly nodes: number
  /** Grows with every change of keys or accounts. */
  readonly revision: number
  /** Grows with every change of what the console has set. */
  readonly settingsRevision: number
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
  /** The budgets that the charge drew on. */
  readonly budgets: readonly string[]
  /** Whether it took the place of a receipt that said it had expired. */
  readonly late: boolean
  /** What it cost and was not charged. */
  readonly writtenOff: readonly WriteOff[]
}

/** A row of the book, charged or not, as whoever looks whether it is right needs it. */
export interface BookRow {
  /** Grows from each row to the next. */
  readonly row: number
  /** Null when it is no entry, but the receipt of a request that was not charged. */
  readonly number: number | null
  readonly account: string
  readonly key: string | null
  readonly at: number
  readonly request: string | null
  readonly isExpired: boolean
  /** Only of a request that was not charged. */
  readonly receipt: string | null
  /** Null in receipts of before schema 7 that were not charged. */
  readonly hash: string | null
}

/** A balance that is not what it should be. */
export interface BalanceFault {
  readonly fault: "missing" | "leased" | "limit"
  readonly owner: string
  readonly found: bigint
  readonly expected: bigint
}

export interface AnchorStep {
  readonly anchor: Anchor
  /** Whether there are more rows to take in. */
  readonly isBehind: boolean
}
