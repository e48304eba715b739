/** An authenticator app, and the backup codes for when it is lost. */
export interface SecondFactor {
  /** Encrypted. */
  readonly secret: string
  /** The unused ones; encrypted. */
  readonly backupCodes: string
  /** Whether sign-in asks for it: a first code has been correct. */
  readonly isActive: boolean
  /** End of the lock on codes, in Unix milliseconds; null if not locked. */
  readonly lockedUntil: number | null
}

export interface SecondFactorReads {
  find(user: string): Promise<SecondFactor | null>
}

export interface SecondFactorWrites {
  /** Stores a factor that is not active yet. @returns false if one is active. */
  begin(user: string, secret: string, backupCodes: string): Promise<boolean>
  /**
   * Marks the code of a time step as used, activates the factor and resets its failures.
   * @param latest the last step that is valid now: a later one was used before the clock was set back.
   * @returns false if this code or a later one has been used.
   */
  useStep(user: string, step: number, latest: number): Promise<boolean>
  /** Replaces the backup codes. @returns false if they are no longer `from`. */
  replaceBackupCodes(user: string, from: string, to: string): Promise<boolean>
  /** Counts a wrong code, and locks the factor after too many in a row. */
  fail(user: string, now: number, lock: FailureLock): Promise<void>
  /** Resets the failures. */
  succeed(user: string): Promise<void>
  /** Deletes it, and the trusted browsers with it. */
  remove(user: string): Promise<void>
}

export interface FailureLock {
  readonly max: number
  /** Milliseconds. */
  readonly duration: number
}
