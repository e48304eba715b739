/** An authenticator app, and backup codes in case it is lost. */
export interface SecondFactor {
  /** The secret of the authenticator app, encrypted. */
  readonly secret: string
  /** The unused backup codes, encrypted. */
  readonly backupCodes: string
  /** Whether sign-in requires the factor. It becomes active with the first correct code. */
  readonly isActive: boolean
  /** When codes are accepted again, in Unix milliseconds; null if they are not locked. */
  readonly lockedUntil: number | null
}

export interface SecondFactorReads {
  find(user: string): Promise<SecondFactor | null>
}

export interface SecondFactorWrites {
  /**
   * Stores a factor that is not active yet.
   * @returns false if a factor is already active.
   */
  begin(user: string, secret: string, backupCodes: string): Promise<boolean>
  /**
   * Marks the code of a time step as used, activates the factor and resets its failures.
   * @param latest the last step that is valid now. If a later step was used, the clock has been set back since.
   * @returns false if this code or a later one has been used.
   */
  useStep(user: string, step: number, latest: number): Promise<boolean>
  /**
   * Replaces the backup codes.
   * @returns false if the current codes are not `from`.
   */
  replaceBackupCodes(user: string, from: string, to: string): Promise<boolean>
  /** Counts a wrong code. After too many wrong codes in a row, the factor is locked. */
  fail(user: string, now: number, lock: FailureLock): Promise<void>
  /** Resets the count of wrong codes. */
  succeed(user: string): Promise<void>
  /** Deletes the factor and the trusted browsers. */
  remove(user: string): Promise<void>
}

export interface FailureLock {
  readonly max: number
  /** Duration of the lock in milliseconds. */
  readonly duration: number
}
