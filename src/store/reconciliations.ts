import type { NewAuditRecord } from "./audit.ts"
import type { TimeRange } from "./settlements.ts"

/** The last comparison of the ledger with the bill of a provider. */
export interface ReconciliationRecord {
  readonly provider: string
  /** Sequence number of the provider's comparisons, from 1. */
  readonly number: number
  /** Unix milliseconds. */
  readonly at: number
  /** JSON of the result, as the management API returns it. */
  readonly body: string
}

/** Provider cost of a day that receipts do not contain. */
export interface CostCorrection {
  readonly provider: string
  /** The beginning of the day in UTC, Unix milliseconds. */
  readonly day: number
  /** Nanocredits, of either sign. */
  readonly amount: bigint
}

export interface ReconciliationReads {
  /** Returns the last comparison of each provider, ordered by provider name. */
  list(): Promise<ReconciliationRecord[]>
  /** Returns the corrections of days that begin in a range. A day of a provider can have several corrections. */
  listCorrections(range: TimeRange): Promise<CostCorrection[]>
}

export interface ReconciliationWrites {
  /**
   * Replaces the provider's last comparison, and adds corrections, which are never removed.
   * @throws StoreError `conflict` if the record's number does not follow the stored one.
   */
  save(
    record: ReconciliationRecord,
    corrections: readonly CostCorrection[],
    audit: NewAuditRecord,
  ): Promise<void>
}
