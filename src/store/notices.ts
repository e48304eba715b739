import type { AccountState } from "./accounts.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export type NoticeChannel = "webhook" | "slack" | "mail"

/** A target of notices. */
export interface NoticeTarget {
  readonly id: string
  /** Null: the operator's target, which gets the notices of all accounts and those without an account. */
  readonly account: string | null
  readonly channel: NoticeChannel
  /** The address for display, without the parts that would allow others to send to it. */
  readonly hint: string
  /** The encrypted address and signing secret. */
  readonly encrypted: string
  /** Null: all types. */
  readonly types: readonly string[] | null
  /** Threshold for low balances; null: no reports of low balances. */
  readonly balanceBelow: bigint | null
  readonly createdAt: number
}

export interface NewNotice {
  readonly id: string
  /** Null: only for the operator. */
  readonly account: string | null
  readonly type: string
  readonly at: number
  /** JSON in a shape that depends on the type; amounts in it are decimal text. */
  readonly data: string
  /** The only target to notify. */
  readonly target?: string
}

/**
 * The change of a mark, a value stored under a name. Marks ensure that several processes raise a notice only once: the
 * process that changes the mark raises it.
 */
export interface MarkChange {
  readonly name: string
  /** Null: the mark does not exist. */
  readonly from: string | null
  readonly to: string | null
}

/** The state of a notice's delivery to a target. */
export interface NoticeDelivery {
  readonly target: string
  readonly state: "waiting" | "delivered" | "failed"
  readonly attempts: number
  /** When it was delivered or given up, or when it will be retried. */
  readonly at: number
  /** Why the last attempt failed. */
  readonly error: string | null
}

export interface NoticeRecord extends Omit<NewNotice, "target"> {
  /** Its position in the list. */
  readonly number: number
  readonly deliveries: readonly NoticeDelivery[]
}

/** A delivery that is due. */
export interface DueDelivery {
  readonly notice: Omit<NewNotice, "target">
  readonly target: NoticeTarget
  /** Previous attempts. */
  readonly attempts: number
}

/** The result of a delivery attempt. */
export interface DeliveryResult {
  readonly notice: string
  readonly target: string
  readonly at: number
  /** Null: it was delivered. */
  readonly error: string | null
  /** Null: it is not retried. */
  readonly nextAt: number | null
}

/** An account with a balance below the threshold of a target. */
export interface LowBalance {
  readonly target: string
  readonly account: string
  readonly balance: bigint
  readonly below: bigint
}

/** An account that is paused or closed. */
export interface HeldAccount {
  readonly account: string
  readonly state: AccountState
}

/** A budget with at least half of it spent in the current period. */
export interface SpentBudget {
  /** The owner as named by `accounting/budget-periods.ts`. */
  readonly owner: string
  readonly account: string
  readonly spent: bigint
  readonly limit: bigint
}

export interface NoticeReads {
  /** Lists targets, oldest first; null: those of all accounts and of the operator. */
  targets(accounts: readonly string[] | null): Promise<NoticeTarget[]>
  findTarget(id: string): Promise<NoticeTarget | null>
  /**
   * Lists the notices below a number, newest first. A null number starts at the newest, and null accounts means all.
   */
  list(
    accounts: readonly string[] | null,
    before: number | null,
    limit: number,
  ): Promise<NoticeRecord[]>
  /** Returns all marks with names that start with a prefix. */
  marks(prefix: string): Promise<ReadonlyMap<string, string>>
  /** Lists accounts that are paused or closed. */
  heldAccounts(limit: number): Promise<HeldAccount[]>
  lowBalances(limit: number): Promise<LowBalance[]>
  /** @param at a moment in the periods. */
  spentBudgets(at: number, limit: number): Promise<SpentBudget[]>
}

export interface NoticeWrites {
  /** @throws StoreError `not_found` if the account does not exist. */
  insertTarget(target: NoticeTarget, audit: NewAuditRecord): Promise<void>
  /**
   * Deletes a target with its pending deliveries.
   * @throws StoreError `not_found`.
   */
  removeTarget(id: string, audit: NewAuditRecord): Promise<void>
  /**
   * Stores a notice for delivery to all targets that subscribe to it, and changes the mark.
   * @returns false, storing nothing, if the mark has another value than `from`.
   */
  raise(notice: NewNotice, mark: MarkChange | null): Promise<boolean>
  /**
   * Changes a mark without a notice.
   * @returns false if the mark has another value than `from`.
   */
  mark(change: MarkChange, at: number): Promise<boolean>
  /**
   * Claims due deliveries for the caller.
   * @param until when others may claim them, because the caller has died.
   */
  claim(now: number, until: number, limit: number): Promise<DueDelivery[]>
  report(result: DeliveryResult): Promise<void>
  /** Deletes notices and marks from before a moment. */
  prune(before: number): Promise<void>
}
