import type { NewAuditRecord } from "./audit.ts"
import type { MemberRole, MemberRecord } from "./members.ts"
import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export interface InvitationRecord {
  readonly id: string
  readonly account: string
  /** The email address in lowercase. */
  readonly email: string
  readonly role: MemberRole
  /** The inviter's name in the form of the audit log. */
  readonly invitedBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** A new invitation. Only the SHA-256 of the token in its link is stored, in hexadecimal. */
export interface NewInvitation extends InvitationRecord {
  readonly tokenHash: string
}

/** Reads open invitations, which have not been accepted, withdrawn or expired. */
export interface InvitationReads {
  find(id: string, now: number): Promise<InvitationRecord | null>
  findByToken(tokenHash: string, now: number): Promise<InvitationRecord | null>
  /** Whether an email address has an open invitation to any account. */
  isInvited(email: string, now: number): Promise<boolean>
  /** Lists open invitations, oldest first. null means all accounts. */
  list(
    accounts: readonly string[] | null,
    now: number,
    after: TimePosition | null,
    limit: number,
  ): Promise<InvitationRecord[]>
  /** Lists open invitations to an email address, oldest first. */
  listTo(
    email: string,
    now: number,
    after: TimePosition | null,
    limit: number,
  ): Promise<InvitationRecord[]>
}

export interface InvitationWrites {
  /**
   * Adds an invitation.
   * @throws StoreError `not_found` if the account does not exist, `too_much` if the account has the maximum number.
   */
  insert(invitation: NewInvitation, audit: NewAuditRecord): Promise<InvitationRecord>
  /**
   * Withdraws an invitation.
   * @throws StoreError `not_found`.
   */
  remove(id: string, now: number, audit: NewAuditRecord): Promise<InvitationRecord>
  /**
   * Accepts an invitation and adds the member in one transaction.
   * @throws StoreError `not_found` if the invitation is no longer open, `exists` if the user is already a member.
   */
  accept(id: string, member: MemberRecord, audit: NewAuditRecord): Promise<MemberRecord>
}
