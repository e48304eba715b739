import type { AuditFacts, AuditRecord } from "../accounting/chained-records.ts"

/** A change to record in the audit log. */
export interface NewAuditRecord extends AuditFacts {
  /** The request that uses up its idempotency key with this change. It is not part of the record. */
  readonly claim?: string | undefined
}

/** Filters a list of audit records. All conditions must hold. */
export interface AuditFilter {
  /** Absent: all accounts, and records without one. */
  readonly accounts?: readonly string[] | undefined
  /** A part of the actor's name if it is stored in plain text, or their id. */
  readonly actor?: string | undefined
  /** Matches these people as well; their names are encrypted under their keys. */
  readonly people?: readonly string[] | undefined
  /** One of these texts occurs in the changed data, as it is stored. */
  readonly mentions?: readonly string[] | undefined
  /** An exact action, or a glob such as `key.*`. */
  readonly action?: string | undefined
  readonly target?: string | undefined
  readonly from?: number | undefined
  /** Exclusive. */
  readonly to?: number | undefined
}

/** Reads records as they are stored: names of people are encrypted under their keys. */
export interface AuditReads {
  /** Lists the records below a number, newest first; null starts at the newest. */
  list(filter: AuditFilter, before: number | null, limit: number): Promise<AuditRecord[]>
}

export interface AuditWrites {
  /**
   * Records a change of data that is stored elsewhere. A change in the store is recorded by the method that makes it.
   * Every such method has a record as its last parameter and writes both or neither.
   * @throws StoreError `conflict` if the change was made under a claim that now belongs to another request.
   */
  append(record: NewAuditRecord): Promise<AuditRecord>
}
