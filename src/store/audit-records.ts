/** A change that somebody made, as it is to be kept. Times are Unix milliseconds. */
export interface NewAuditRecord {
  readonly at: number
  readonly actorKind: "user" | "admin_token" | "command"
  readonly actorId: string | null
  readonly actorName: string
  /** `key.create`, `account.entry`, `provider.change`. */
  readonly action: string
  /** The account that it concerns. */
  readonly account: string | null
  /** The id of what was changed. */
  readonly target: string | null
  /** JSON of what the API showed before; never with a secret in it. */
  readonly before: string | null
  /** JSON of what the API shows now; never with a secret in it. */
  readonly after: string | null
  /** The network address that it came from. */
  readonly address: string | null
  /** The request whose idempotency key this change uses up. Not a part of the record. */
  readonly claim?: string | undefined
}

/** One line of the audit log. Never changed, never deleted; each carries the hash of the one before. */
export interface AuditRecord extends Omit<NewAuditRecord, "claim"> {
  /** 1, 2, 3 ... */
  readonly number: number
  readonly previousHash: string
  readonly hash: string
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
