import type { InvitationRecord } from "./invitations.ts"
import type { MemberRecord, MemberRole } from "./members.ts"

/** A member as a database keeps it. */
export interface MemberRow {
  readonly id: string
  readonly account: string
  readonly user_id: string
  readonly role: MemberRole
  readonly joined_at: bigint
}

/** The columns of a member. */
export const MEMBER_COLUMNS = "id, account, user_id, role, joined_at"

/** A member as a database keeps it, read back. */
export function memberFromRow(row: MemberRow): MemberRecord {
  return {
    id: row.id,
    account: row.account,
    user: row.user_id,
    role: row.role,
    joinedAt: Number(row.joined_at),
  }
}

/** An invitation as a database keeps it. */
export interface InvitationRow {
  readonly id: string
  readonly account: string
  readonly email: string
  readonly role: MemberRole
  readonly invited_by: string
  readonly created_at: bigint
  readonly expires_at: bigint
}

/** The columns of an invitation. */
export const INVITATION_COLUMNS = "id, account, email, role, invited_by, created_at, expires_at"

/** An invitation as a database keeps it, read back. */
export function invitationFromRow(row: InvitationRow): InvitationRecord {
  return {
    id: row.id,
    account: row.account,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }
}
