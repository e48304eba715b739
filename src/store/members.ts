import type { NewAuditRecord } from "./audit.ts"
import type { TimePosition } from "./time-position.ts"

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

export interface MemberReads {
  find(id: string): Promise<MemberRecord | null>
  /** In the order in which they joined. */
  list(filter: MemberFilter, after: TimePosition | null, limit: number): Promise<MemberRecord[]>
}

export interface MemberWrites {
  /** @throws StoreError `not_found` without the account, `exists` when the user is in it already. */
  add(member: MemberRecord, audit: NewAuditRecord): Promise<MemberRecord>
  /** @throws StoreError `not_found`; `last_owner` when the account would have none left. */
  changeRole(id: string, role: MemberRole, audit: NewAuditRecord): Promise<MemberRecord>
  /** @throws StoreError `not_found`; `last_owner` when the account would have none left. */
  remove(id: string, audit: NewAuditRecord): Promise<MemberRecord>
}
