/** A user of the console. Times are Unix milliseconds. */
export interface UserRecord {
  readonly id: string
  readonly name: string
  /** The email address, which is in lowercase and unique. */
  readonly email: string
  readonly isOperator: boolean
  /** A disabled user has no sessions and cannot sign in. */
  readonly isDisabled: boolean
  readonly hasTwoFactor: boolean
  /** Whether the user has a password. Users who only sign in through an issuer do not have a password. */
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
  /** The email address in lowercase. */
  readonly email: string
  /** Hash of the password; null for a user who signs in through an issuer. */
  readonly passwordHash: string | null
  readonly identity: Identity | null
  /** Whether the user is created only if no operator exists. The user then becomes an operator. */
  readonly isFirst: boolean
  readonly createdAt: number
}

/** The filter and the page of a list of users. */
export interface UserFilter {
  /** A part of the name or the email address. */
  readonly search?: string | undefined
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
}

export interface UserChange {
  readonly name?: string
  /** The new email address in lowercase. */
  readonly email?: string
  readonly isOperator?: boolean
  readonly isDisabled?: boolean
}

export type UserChangeOutcome = "changed" | "not_found" | "last_operator" | "email_taken"

export interface UserReads {
  /** Whether an operator exists who is not disabled. */
  hasOperator(): Promise<boolean>
  find(id: string): Promise<UserRecord | null>
  /**
   * Finds a user by email address.
   * @param email in lowercase.
   */
  findByEmail(email: string): Promise<UserRecord | null>
  findByIdentity(identity: Identity): Promise<UserRecord | null>
  /** Returns the identities of a user at issuers. */
  identities(id: string): Promise<Identity[]>
  /** Lists users, oldest first. */
  list(filter: UserFilter): Promise<UserRecord[]>
  /** Returns the users with the given ids. Unknown ids are omitted. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, UserRecord>>
  /** Returns the hash of a user's password; null for a user without a password. */
  passwordHash(id: string): Promise<string | null>
}

export interface UserWrites {
  create(user: UserInput): Promise<"created" | "email_taken" | "operator_exists">
  /** Links an identity to a user. An identity that is already linked stays with its current user. */
  link(id: string, identity: Identity, at: number): Promise<void>
  /**
   * Links an identity, and deletes all other credentials and sessions of the user: password, passkeys, sessions, proofs
   * and other identities. The second factor is kept, because it is not sufficient to sign in.
   * @param kept other issuers whose identities are kept.
   * @returns false, changing nothing, if the identity belongs to a user, or if the user is disabled or was deleted.
   */
  linkAlone(id: string, identity: Identity, at: number, kept: readonly string[]): Promise<boolean>
  /** Changes a user. If the user is disabled, all sessions of the user end. */
  change(id: string, change: UserChange): Promise<UserChangeOutcome>
  /**
   * Deletes a user with all credentials.
   * @returns false for the last operator who is not disabled.
   */
  remove(id: string): Promise<boolean>
  /**
   * Sets the password, and ends all sessions and proofs of the user.
   * @param replaced the hash that must be the current one; if undefined, any hash is replaced.
   * @returns false, changing nothing, if the user has a different hash.
   */
  setPassword(id: string, hash: string, replaced?: string): Promise<boolean>
  seen(id: string, at: number): Promise<void>
}
