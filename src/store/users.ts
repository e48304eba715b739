/** A user of the console. Times are Unix milliseconds. */
export interface UserRecord {
  readonly id: string
  readonly name: string
  /** Lowercase and unique. */
  readonly email: string
  readonly isOperator: boolean
  /** A disabled user has no sessions and cannot sign in. */
  readonly isDisabled: boolean
  readonly hasTwoFactor: boolean
  /** False for a user who signs in through an issuer only. */
  readonly hasPassword: boolean
  readonly createdAt: number
  readonly lastSeenAt: number | null
}

/** A user's identity at an OpenID Connect issuer. */
export interface Identity {
  /** The issuer's id in the settings. */
  readonly provider: string
  /** The issuer's `sub` claim, which it never reassigns. */
  readonly subject: string
}

export interface UserInput {
  readonly id: string
  readonly name: string
  /** Lowercase. */
  readonly email: string
  /** Null for a user who signs in through an issuer. */
  readonly passwordHash: string | null
  readonly identity: Identity | null
  /** Creates an operator, unless one exists. */
  readonly isFirst: boolean
  readonly createdAt: number
}

/** Filter and page of a list of users. */
export interface UserFilter {
  /** Part of the name or the email address. */
  readonly search?: string | undefined
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
}

export interface UserChange {
  readonly name?: string
  /** Lowercase. */
  readonly email?: string
  readonly isOperator?: boolean
  readonly isDisabled?: boolean
}

export type UserChangeOutcome = "changed" | "not_found" | "last_operator" | "email_taken"

export interface UserReads {
  /** Returns whether an operator exists who is not disabled. */
  hasOperator(): Promise<boolean>
  find(id: string): Promise<UserRecord | null>
  /** @param email lowercase. */
  findByEmail(email: string): Promise<UserRecord | null>
  findByIdentity(identity: Identity): Promise<UserRecord | null>
  /** Returns the identities of a user at issuers. */
  identities(id: string): Promise<Identity[]>
  /** Lists users, oldest first. */
  list(filter: UserFilter): Promise<UserRecord[]>
  /** Returns the existing users among the ids. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, UserRecord>>
  /** Returns null for a user without a password. */
  passwordHash(id: string): Promise<string | null>
}

export interface UserWrites {
  create(user: UserInput): Promise<"created" | "email_taken" | "operator_exists">
  /** Links an identity to a user. An identity that is already linked stays with its user. */
  link(id: string, identity: Identity, at: number): Promise<void>
  /**
   * Links an identity, and deletes every other credential and session of the user: password, passkeys, sessions, proofs
   * and other identities. The second factor stays, because it does not suffice to sign in.
   * @param kept other issuers whose identities stay.
   * @returns false, changing nothing, if the identity has a user, or the user is disabled or deleted.
   */
  linkAlone(id: string, identity: Identity, at: number, kept: readonly string[]): Promise<boolean>
  /** Changes a user. Disabling a user ends their sessions. */
  change(id: string, change: UserChange): Promise<UserChangeOutcome>
  /**
   * Deletes a user with all credentials.
   * @returns false for the last operator who is not disabled.
   */
  remove(id: string): Promise<boolean>
  /**
   * Ends all sessions and proofs of the user.
   * @param replaced the hash that the new one replaces; undefined: any.
   * @returns false, changing nothing, if the user has another hash.
   */
  setPassword(id: string, hash: string, replaced?: string): Promise<boolean>
  seen(id: string, at: number): Promise<void>
}
