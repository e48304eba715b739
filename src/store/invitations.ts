import type { NewAuditRecord } from "./audit.ts"
import type { MemberRole, MemberRecord } from "./members.ts"
import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export interface InvitationRecord {
  readonly id: string
  readonly account: string
  /** In lowercase. */
  readonly email: string
  readonly role: MemberRole
  /** As the audit log names who invited. */
  readonly invitedBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** A new invitation; of the token in its link only the SHA-256 is kept, hexadecimal. */
export interface NewInvitation extends InvitationRecord {
  readonly tokenHash: string
}

/** Invitations that are open: not accepted, not withdrawn, not expired. */
export interface InvitationReads {
  find(id: string, now: number): Promise<InvitationRecord | null>
  findByToken(tokenHash: string, now: number): Promise<InvitationRecord | null>
  /** Whether an address is invited into any account. */
  isInvited(email: string, now: number): Promise<boolean>
  /** The oldest first; null means of all accounts. */
  list(
    accounts: readonly string[] | null,
    now: number,
    after: TimePosition | null,
    limit: number,
  ): Promise<InvitationRecord[]>
}

export interface InvitationWrites {
  /** @throws StoreError `not_found` when there is no such account, `too_much` when it has as many as it may. */
  insert(invitation: NewInvitation, audit: NewAuditRecord): Promise<InvitationRecord>
  /** @throws StoreError `not_found`. */
  remove(id: string, now: number, audit: NewAuditRecord): Promise<InvitationRecord>
  /**
   * Uses an invitation up and adds the member, both or neither.
   * @throws StoreError `not_found` when it is no longer open, `exists` when the user is in the account.
   */
  accept(id: string, member: MemberRecord, audit: NewAuditRecord): Promise<MemberRecord>
}
