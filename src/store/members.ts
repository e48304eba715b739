import type { NewAuditRecord } from "./audit.ts"
import type { TimePosition } from "./time-position.ts"

/** Times are Unix milliseconds. */

export type MemberRole = "owner" | "member" | "viewer"

/** The membership of a user in an account. */
export interface MemberRecord {
  readonly id: string
  readonly account: string
  /** The user's id. Names and email addresses are stored with the users. */
  readonly user: string
  readonly role: MemberRole
  readonly joinedAt: number
}

/** A filter for members. All conditions must hold. */
export interface MemberFilter {
  /** The accounts; if absent, all accounts. */
  readonly accounts?: readonly string[] | undefined
  /** The users; if absent, all users. */
  readonly users?: readonly string[] | undefined
}

export interface MemberReads {
  find(id: string): Promise<MemberRecord | null>
  /** Lists members in the order in which they joined. */
  list(filter: MemberFilter, after: TimePosition | null, limit: number): Promise<MemberRecord[]>
}

export interface MemberWrites {
  /**
   * Adds a member.
   * @throws StoreError `not_found` if the account does not exist, `exists` if the user is already a member.
   */
  add(member: MemberRecord, audit: NewAuditRecord): Promise<MemberRecord>
  /**
   * Changes the role of a member.
   * @throws StoreError `not_found`; `last_owner` if no owner would remain.
   */
  changeRole(id: string, role: MemberRole, audit: NewAuditRecord): Promise<MemberRecord>
  /**
   * Removes a member.
   * @throws StoreError `not_found`; `last_owner` if no owner would remain.
   */
  remove(id: string, audit: NewAuditRecord): Promise<MemberRecord>
}
