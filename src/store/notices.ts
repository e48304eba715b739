import type { AccountState } from "./accounts.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export type NoticeChannel = "webhook" | "slack" | "mail"

/** Where notices are sent. */
export interface NoticeTarget {
  readonly id: string
  /** Null: the operator's, which gets the notices of all accounts and those of none. */
  readonly account: string | null
  readonly channel: NoticeChannel
  /** The address as it is shown: without what could be used to write there. */
  readonly hint: string
  /** The address, and what signs, encrypted. */
  readonly encrypted: string
  /** Null: all types. */
  readonly types: readonly string[] | null
  /** A balance below this is low; null: that is not watched for it. */
  readonly balanceBelow: bigint | null
  readonly createdAt: number
}

export interface NewNotice {
  readonly id: string
  /** Null: it concerns the operator only. */
  readonly account: string | null
  readonly type: string
  readonly at: number
  /** JSON, by type; amounts in it are decimal text. */
  readonly data: string
  /** The only target it is for. */
  readonly target?: string
}

/**
 * A value that is remembered under a name, so that what is watched raises one notice however many processes see it:
 * the notice is raised by who changes the value.
 */
export interface MarkChange {
  readonly name: string
  /** Null: there is none. */
  readonly from: string | null
  readonly to: string | null
}

/** What became of a notice at a target. */
export interface NoticeDelivery {
  readonly target: string
  readonly state: "waiting" | "delivered" | "failed"
  readonly attempts: number
  /** When it was delivered or given up, or when it is tried again. */
  readonly at: number
  /** Why the last attempt failed. */
  readonly error: string | null
}

export interface NoticeRecord extends Omit<NewNotice, "target"> {
  /** Its place in the list. */
  readonly number: number
  readonly deliveries: readonly NoticeDelivery[]
}

/** A delivery whose time has come. */
export interface DueDelivery {
  readonly notice: Omit<NewNotice, "target">
  readonly target: NoticeTarget
  /** Those before this one. */
  readonly attempts: number
}

/** What an attempt to deliver came to. */
export interface DeliveryResult {
  readonly notice: string
  readonly target: string
  readonly at: number
  /** Null: it was delivered. */
  readonly error: string | null
  /** Null: it is not tried again. */
  readonly nextAt: number | null
}

/** An account whose balance is below what a target asked for. */
export interface LowBalance {
  readonly target: string
  readonly account: string
  readonly balance: bigint
  readonly below: bigint
}

/** An account that nothing is paid for. */
export interface HeldAccount {
  readonly account: string
  readonly state: AccountState
}

/** A budget of which half or more is spent, in its present period. */
export interface SpentBudget {
  /** As `accounting/budget-periods.ts` names it. */
  readonly owner: string
  readonly account: string
  readonly spent: bigint
  readonly limit: bigint
}

export interface NoticeReads {
  /** The oldest first; null: those of all accounts and the operator's. */
  targets(accounts: readonly string[] | null): Promise<NoticeTarget[]>
  findTarget(id: string): Promise<NoticeTarget | null>
  /** The newest first, with numbers below one; null starts at the newest, and means all accounts. */
  list(
    accounts: readonly string[] | null,
    before: number | null,
    limit: number,
  ): Promise<NoticeRecord[]>
  /** All marks whose names start with this. */
  marks(prefix: string): Promise<ReadonlyMap<string, string>>
  /** Accounts that are paused or closed. */
  heldAccounts(limit: number): Promise<HeldAccount[]>
  lowBalances(limit: number): Promise<LowBalance[]>
  /** @param at in the periods that contain this moment. */
  spentBudgets(at: number, limit: number): Promise<SpentBudget[]>
}

export interface NoticeWrites {
  /** @throws StoreError `not_found` when there is no such account. */
  insertTarget(target: NoticeTarget, audit: NewAuditRecord): Promise<void>
  /** What waits for it goes with it. @throws StoreError `not_found`. */
  removeTarget(id: string, audit: NewAuditRecord): Promise<void>
  /**
   * Stores a notice, to be delivered to all targets that asked for it, and changes the mark.
   * @returns false, and nothing is stored, when the mark is not what it is changed from.
   */
  raise(notice: NewNotice, mark: MarkChange | null): Promise<boolean>
  /** Changes a mark without a notice. @returns false when it is not what it is changed from. */
  mark(change: MarkChange, at: number): Promise<boolean>
  /**
   * Deliveries whose time has come, for the caller alone.
   * @param until from then on others may take them: the caller has died.
   */
  claim(now: number, until: number, limit: number): Promise<DueDelivery[]>
  report(result: DeliveryResult): Promise<void>
  /** Removes notices and marks from before a moment. */
  prune(before: number): Promise<void>
}
