import type { AccountState } from "./accounts.ts"
import type { NewAuditRecord } from "./audit.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export type NoticeChannel = "webhook" | "slack" | "email"

/** A target of notices. */
export interface NoticeTarget {
  readonly id: string
  /**
   * The account; null for a target of the operator, which receives the notices of all accounts and those without an
   * account.
   */
  readonly account: string | null
  readonly channel: NoticeChannel
  /** The address for display, without its secret parts, so that it cannot be used to send messages. */
  readonly hint: string
  /** The encrypted address and signing secret. */
  readonly encrypted: string
  /** Types of notices that the target receives; null for all types. */
  readonly types: readonly string[] | null
  /** Balance below which a notice is sent, in nanocredits; null if low balances are not reported. */
  readonly balanceBelow: bigint | null
  readonly createdAt: number
}

export interface NewNotice {
  readonly id: string
  /** The account; null if the notice is only for the operator. */
  readonly account: string | null
  readonly type: string
  readonly at: number
  /** JSON whose structure depends on the type. Amounts are decimal text. */
  readonly data: string
  /** The only target that receives the notice; if absent, all matching targets. */
  readonly target?: string
}

/**
 * A change to a mark, which is a value stored under a name. With marks, only one of several processes raises a notice:
 * the process that changes the mark.
 */
export interface MarkChange {
  readonly name: string
  /** The required previous value; null if the mark must not exist. */
  readonly from: string | null
  readonly to: string | null
}

/** The state of a notice's delivery to a target. */
export interface NoticeDelivery {
  readonly target: string
  readonly state: "pending" | "delivered" | "failed"
  readonly attempts: number
  /** When the notice was delivered, when its delivery was abandoned, or when it will be retried. */
  readonly at: number
  /** Why the last attempt failed; null if no attempt failed. */
  readonly error: string | null
}

export interface NoticeRecord extends Omit<NewNotice, "target"> {
  /** The position of the notice in the list. */
  readonly number: number
  readonly deliveries: readonly NoticeDelivery[]
}

/** A delivery that is due now. */
export interface DueDelivery {
  readonly notice: Omit<NewNotice, "target">
  readonly target: NoticeTarget
  /** Number of previous attempts. */
  readonly attempts: number
}

/** Maximum concurrent deliveries of a process. */
export interface DeliveryLimits {
  readonly total: number
  /** Maximum for the targets of one account, and for those of the operator. */
  readonly perAccount: number
  readonly perTarget: number
  /** The target after whose id the search begins, so that all targets take turns. */
  readonly after: string
  /** The targets of the running deliveries, which count towards the limits. */
  readonly running: readonly Pick<NoticeTarget, "id" | "account">[]
}

/** The result of a delivery attempt. */
export interface DeliveryResult {
  readonly notice: string
  readonly target: string
  readonly at: number
  /** The error; null if the notice was delivered. */
  readonly error: string | null
  /** When the delivery is retried; null if it is not retried. */
  readonly nextAt: number | null
}

/** An account whose balance is below the threshold of a target. */
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

/** A budget with at least half of its amount spent in the current period. */
export interface SpentBudget {
  /** The owner, as returned by `budgetOwner` of `accounting/budget-periods.ts`. */
  readonly owner: string
  readonly account: string
  readonly spent: bigint
  readonly limit: bigint
}

export interface NoticeReads {
  /** Lists targets, oldest first. null means the targets of all accounts and of the operator. */
  targets(accounts: readonly string[] | null): Promise<NoticeTarget[]>
  findTarget(id: string): Promise<NoticeTarget | null>
  /**
   * Lists the notices below a number, newest first. If the number is null, the list starts at the newest notice. If
   * accounts are null, all are included.
   */
  list(
    accounts: readonly string[] | null,
    before: number | null,
    limit: number,
  ): Promise<NoticeRecord[]>
  /** Returns all marks whose names start with a prefix. */
  marks(prefix: string): Promise<ReadonlyMap<string, string>>
  /** Lists accounts that are paused or closed. */
  heldAccounts(limit: number): Promise<HeldAccount[]>
  lowBalances(limit: number): Promise<LowBalance[]>
  /**
   * Lists budgets with at least half of their amount spent.
   * @param at a moment in the periods.
   */
  spentBudgets(at: number, limit: number): Promise<SpentBudget[]>
}

export interface NoticeWrites {
  /**
   * Adds a target.
   * @throws StoreError `not_found` if the account does not exist.
   */
  insertTarget(target: NoticeTarget, audit: NewAuditRecord): Promise<void>
  /**
   * Deletes a target and its pending deliveries.
   * @throws StoreError `not_found`.
   */
  removeTarget(id: string, audit: NewAuditRecord): Promise<void>
  /**
   * Stores a notice for delivery to all targets that subscribe to its type, and changes the mark.
   * @returns false, storing nothing, if the mark has a value other than `from`.
   */
  raise(notice: NewNotice, mark: MarkChange | null): Promise<boolean>
  /**
   * Changes a mark without storing a notice.
   * @returns false if the mark has a value other than `from`.
   */
  mark(change: MarkChange, at: number): Promise<boolean>
  /**
   * Claims due deliveries for the caller, the oldest of each target first. Targets follow in the order of their ids.
   * @param until when other processes may claim them, because the caller must have died.
   */
  claim(now: number, until: number, limits: DeliveryLimits): Promise<DueDelivery[]>
  report(result: DeliveryResult): Promise<void>
  /** Deletes notices and marks that are older than a moment. */
  prune(before: number): Promise<void>
}
