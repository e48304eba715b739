import type { NewAuditRecord } from "./audit.ts"
import type { TimeRange } from "./settlements.ts"

/** A comparison of the ledger with a provider's bill. */
export interface ReconciliationRecord {
  readonly provider: string
  /** Counts the provider's comparisons from 1. */
  readonly number: number
  /** Unix milliseconds. */
  readonly at: number
  /** The result as JSON, in the form that the management API returns. */
  readonly body: string
}

/** Provider cost of one day that is not in any receipt. */
export interface CostCorrection {
  readonly provider: string
  /** The start of the day in UTC, in Unix milliseconds. */
  readonly day: number
  /** The amount in nanocredits, positive or negative. */
  readonly amount: bigint
}

export interface ReconciliationReads {
  /** Returns the latest comparison of each provider, sorted by provider. */
  list(): Promise<ReconciliationRecord[]>
  /** Returns the corrections of days that begin in a range. A provider may have several corrections for a day. */
  listCorrections(range: TimeRange): Promise<CostCorrection[]>
}

export interface ReconciliationWrites {
  /**
   * Replaces the provider's previous comparison and adds its corrections, which are never removed.
   * @throws StoreError `conflict` if the record's number does not follow the stored number.
   */
  save(
    record: ReconciliationRecord,
    corrections: readonly CostCorrection[],
    audit: NewAuditRecord,
  ): Promise<void>
}
