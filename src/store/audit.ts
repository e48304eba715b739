import type { AuditFacts, AuditRecord } from "../accounting/chained-records.ts"

/** A change to record in the audit log. */
export interface NewAuditRecord extends AuditFacts {
  /** The request whose idempotency key this change uses up. It is not part of the record. */
  readonly claim?: string | undefined
}

/** Maximum records that a search reads. Records cannot be indexed by a part of a text. */
export const MAX_SEARCHED_RECORDS = 100_000

/** A search for the newest records that match a text. At least one of the conditions must hold. */
export interface AuditSearch {
  /**
   * A part of the actor's unencrypted name, the target, or the name of the target. The id of an actor must match
   * completely.
   */
  readonly text: string
  /** A glob for the action; undefined if the text cannot be part of an action. */
  readonly action: string | undefined
  /** Ids of people who match as actors or as the people whom a change is about. */
  readonly people: readonly string[]
}

/** A filter for audit records. All conditions must hold. */
export interface AuditFilter {
  /** The accounts of the records; if absent, all accounts, and records without an account. */
  readonly accounts?: readonly string[] | undefined
  /** The actor's id, or a part of the actor's name if the name is stored in plain text. */
  readonly actor?: string | undefined
  /** Ids of people who also match as actors. Their names are encrypted with their own keys. */
  readonly people?: readonly string[] | undefined
  /** The stored form of the changed data must contain at least one of these texts. */
  readonly mentions?: readonly string[] | undefined
  /** An exact action, or a glob such as `key.*`. */
  readonly action?: string | undefined
  readonly target?: string | undefined
  readonly search?: AuditSearch | undefined
  /** Only records with a higher number match. */
  readonly above?: number | undefined
  readonly from?: number | undefined
  /** The end of the time range, exclusive. */
  readonly to?: number | undefined
}

/** Reads records in their stored form, in which the names of people are encrypted with their own keys. */
export interface AuditReads {
  /** Lists the records below a number, newest first. null starts at the newest record. */
  list(filter: AuditFilter, before: number | null, limit: number): Promise<AuditRecord[]>
}

export interface AuditWrites {
  /**
   * Records a change to data that is stored elsewhere. Changes in the store are recorded by the methods that make them.
   * Each of these methods takes the record as its last parameter, and writes the change and the record in one
   * transaction.
   * @throws StoreError `conflict` if the change was made under a claim that now belongs to another request.
   */
  append(record: NewAuditRecord): Promise<AuditRecord>
}
