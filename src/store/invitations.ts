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
  /** The inviter's name, as in the audit log. */
  readonly invitedBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** A new invitation. Of the token in its link, only the SHA-256 is stored, hexadecimal. */
export interface NewInvitation extends InvitationRecord {
  readonly tokenHash: string
}

/** Reads open invitations: neither accepted, withdrawn nor expired. */
export interface InvitationReads {
  find(id: string, now: number): Promise<InvitationRecord | null>
  findByToken(tokenHash: string, now: number): Promise<InvitationRecord | null>
  /** Returns whether an email address is invited to any account. */
  isInvited(email: string, now: number): Promise<boolean>
  /** Lists open invitations, oldest first; null: all accounts. */
  list(
    accounts: readonly string[] | null,
    now: number,
    after: TimePosition | null,
    limit: number,
  ): Promise<InvitationRecord[]>
}

export interface InvitationWrites {
  /** @throws StoreError `not_found` if the account does not exist, `too_much` if it has the maximum. */
  insert(invitation: NewInvitation, audit: NewAuditRecord): Promise<InvitationRecord>
  /** @throws StoreError `not_found`. */
  remove(id: string, now: number, audit: NewAuditRecord): Promise<InvitationRecord>
  /**
   * Accepts an invitation and adds the member, both or neither.
   * @throws StoreError `not_found` if it is no longer open, `exists` if the user is already a member.
   */
  accept(id: string, member: MemberRecord, audit: NewAuditRecord): Promise<MemberRecord>
}
