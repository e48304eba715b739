import type { AuditFacts } from "../accounting/chained-records.ts"

/** A change that somebody made, as it is to be kept. */
export interface NewAuditRecord extends AuditFacts {
  /** The request whose idempotency key this change uses up. Not a part of the record. */
  readonly claim?: string | undefined
}

/** What a list of audit records is narrowed to. All of it has to hold. */
export interface AuditFilter {
  /** Absent: all, and those of no account. */
  readonly accounts?: readonly string[] | undefined
  /** A part of the actor's name, or their id. */
  readonly actor?: string | undefined
  /** An exact action, or a glob: `key.*`. */
  readonly action?: string | undefined
  readonly target?: string | undefined
  readonly from?: number | undefined
  /** Exclusive. */
  readonly to?: number | undefined
}
