import type { NewAuditRecord } from "./audit.ts"
import type { TimeRange } from "./settlements.ts"

/** A comparison of the ledger with a provider's bill. */
export interface ReconciliationRecord {
  readonly provider: string
  /** Counts the provider's comparisons from 1. */
  readonly number: number
  /** Unix milliseconds. */
  readonly at: number
  /** The result as JSON, as the management API returns it. */
  readonly body: string
}

/** Provider cost of one day that no receipt contains. */
export interface CostCorrection {
  readonly provider: string
  /** The beginning of the day in UTC, Unix milliseconds. */
  readonly day: number
  /** Nanocredits, of either sign. */
  readonly amount: bigint
}

export interface ReconciliationReads {
  /** Returns the last comparison of each provider, sorted by provider. */
  list(): Promise<ReconciliationRecord[]>
  /** Returns the corrections of days that begin in a range; a provider can have several for a day. */
  listCorrections(range: TimeRange): Promise<CostCorrection[]>
}

export interface ReconciliationWrites {
  /**
   * Replaces the provider's last comparison and adds its corrections, which are never removed.
   * @throws StoreError `conflict` if the record's number does not follow the stored one.
   */
  save(
    record: ReconciliationRecord,
    corrections: readonly CostCorrection[],
    audit: NewAuditRecord,
  ): Promise<void>
}
