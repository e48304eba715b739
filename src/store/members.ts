import type { NewAuditRecord } from "./audit.ts"
import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds. */

export type MemberRole = "owner" | "member" | "viewer"

/** A user in an account. */
export interface MemberRecord {
  readonly id: string
  readonly account: string
  /** The user's id. Names and emails are stored with the users. */
  readonly user: string
  readonly role: MemberRole
  readonly joinedAt: number
}

/** Filters members. All conditions must hold. */
export interface MemberFilter {
  /** Absent: all accounts. */
  readonly accounts?: readonly string[] | undefined
  /** Absent: all users. */
  readonly users?: readonly string[] | undefined
}

export interface MemberReads {
  find(id: string): Promise<MemberRecord | null>
  /** Lists members by the time of joining. */
  list(filter: MemberFilter, after: TimePosition | null, limit: number): Promise<MemberRecord[]>
}

export interface MemberWrites {
  /** @throws StoreError `not_found` if the account does not exist, `exists` if the user is already a member. */
  add(member: MemberRecord, audit: NewAuditRecord): Promise<MemberRecord>
  /** @throws StoreError `not_found`; `last_owner` if no owner would be left. */
  changeRole(id: string, role: MemberRole, audit: NewAuditRecord): Promise<MemberRecord>
  /** @throws StoreError `not_found`; `last_owner` if no owner would be left. */
  remove(id: string, audit: NewAuditRecord): Promise<MemberRecord>
}
