/** An open session. Times are Unix milliseconds. */
export interface SessionRecord {
  /** Identifies the session. It is not a credential. */
  readonly id: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly address: string | null
  readonly agent: string | null
}

/** A new session; only a hash of its cookie's token is stored. */
export interface NewSession extends SessionRecord {
  readonly user: string
  readonly tokenHash: string
  /** Whether the session outlives the browser. */
  readonly isRemembered: boolean
  /** The hash that the given password matched; null without a password. */
  readonly passwordHash: string | null
}

/** The session of a token. */
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
   * @param replaced the session that it replaces, which ends.
   * @returns false, creating nothing, if the user is disabled or deleted or has changed their password.
   */
  create(session: NewSession, replaced: string | null): Promise<boolean>
  renew(id: string, expiresAt: number): Promise<void>
  /** @returns whether the user had such a session. */
  end(user: string, id: string): Promise<boolean>
}
