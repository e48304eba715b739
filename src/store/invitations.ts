import type { MemberRole } from "./members.ts"

/** Times are Unix milliseconds; amounts are nanocredits. */

export interface InvitationRecord {
  readonly id: string
  readonly account: string
  /** In small letters. */
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
