/** Times are Unix milliseconds. */

export type MemberRole = "owner" | "member" | "viewer"

/** A user in an account. */
export interface MemberRecord {
  readonly id: string
  readonly account: string
  /** The user's id; who they are, is kept with the users. */
  readonly user: string
  readonly role: MemberRole
  readonly joinedAt: number
}

/** Which members are asked for. All of it has to hold. */
export interface MemberFilter {
  /** Absent: of all accounts. */
  readonly accounts?: readonly string[] | undefined
  /** Absent: of all users. */
  readonly users?: readonly string[] | undefined
}

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

/** Where a page of a list sorted by time begins. */
export interface TimePosition {
  readonly at: number
  readonly id: string
}
