import type { AuditFacts, AuditRecord } from "../accounting/chained-records.ts"

/** A change that someone made, to be recorded. */
export interface NewAuditRecord extends AuditFacts {
  /** The request whose idempotency key this change uses up. Not a part of the record. */
  readonly claim?: string | undefined
}

/** Filters a list of audit records. All conditions have to hold. */
export interface AuditFilter {
  /** Absent: all, and those of no account. */
  readonly accounts?: readonly string[] | undefined
  /** A part of the actor's name where it is stored in clear, or their id. */
  readonly actor?: string | undefined
  /** Or one of these people, under whose keys their names are encrypted. */
  readonly people?: readonly string[] | undefined
  /** One of these texts stands in what was changed, as it is stored. */
  readonly mentions?: readonly string[] | undefined
  /** An exact action, or a glob: `key.*`. */
  readonly action?: string | undefined
  readonly target?: string | undefined
  readonly from?: number | undefined
  /** Exclusive. */
  readonly to?: number | undefined
}

/** Records as they are stored: what names people is encrypted under their keys. */
export interface AuditReads {
  /** The newest first, those below a number; null starts at the newest. */
  list(filter: AuditFilter, before: number | null, limit: number): Promise<AuditRecord[]>
}

export interface AuditWrites {
  /**
   * Records a change of what is stored elsewhere. A change in the store takes its record with it: every method that
   * changes what people manage has a record as its last parameter, and writes both or neither.
   * @throws StoreError `conflict` when the change was made under a claim that now belongs to another request.
   */
  append(record: NewAuditRecord): Promise<AuditRecord>
}
