/** An open session. Times are Unix milliseconds. */
export interface SessionRecord {
  /** Identifies the session, but is not a credential. */
  readonly id: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly address: string | null
  readonly agent: string | null
}

/** A new session. Only a hash of its cookie's token is stored. */
export interface NewSession extends SessionRecord {
  readonly user: string
  readonly tokenHash: string
  /** Whether the session continues after the browser is closed. */
  readonly isRemembered: boolean
  /** The stored password hash that the entered password matched; null for a sign-in without a password. */
  readonly passwordHash: string | null
}

/** The session that belongs to a token. */
export interface FoundSession {
  readonly id: string
  readonly user: string
  readonly expiresAt: number
  readonly isRemembered: boolean
}

export interface SessionReads {
  find(tokenHash: string, now: number): Promise<FoundSession | null>
  /** Lists open sessions, newest first. */
  list(user: string, now: number): Promise<SessionRecord[]>
}

export interface SessionWrites {
  /**
   * Creates a session.
   * @param replaced the session that the new session replaces; it ends.
   * @returns false, creating nothing, if the user is disabled, was deleted or has changed the password.
   */
  create(session: NewSession, replaced: string | null): Promise<boolean>
  renew(id: string, expiresAt: number): Promise<void>
  /**
   * Ends a session.
   * @returns whether the user had a session with this id.
   */
  end(user: string, id: string): Promise<boolean>
}
