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
