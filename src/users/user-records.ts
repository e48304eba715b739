/** Someone who can sign in to the console. Times are Unix milliseconds. */
export interface UserRecord {
  readonly id: string
  readonly name: string
  /** In lowercase; no two users have the same. */
  readonly email: string
  readonly isOperator: boolean
  /** A disabled user has no session and gets none. */
  readonly isDisabled: boolean
  readonly hasTwoFactor: boolean
  /** Whether they have a password, or sign in elsewhere only. */
  readonly hasPassword: boolean
  readonly createdAt: number
  readonly lastSeenAt: number | null
}

export interface NewUser {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** A session that is open now. */
export interface SessionRecord {
  /** Names it, and opens nothing. */
  readonly id: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly address: string | null
  readonly agent: string | null
}

/** What a list of users is narrowed to, and where its page begins. */
export interface UserFilter {
  /** A part of the name or of the e-mail address. */
  readonly search?: string | undefined
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
}
