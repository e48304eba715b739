/** A counter with its limit, for example for an address or a user. */
export interface CountedAttempt {
  readonly key: string
  readonly max: number
  /** Length of the window in milliseconds. */
  readonly window: number
}

/** Attempts to sign in, which are counted for all processes together. */
export interface SignInAttempts {
  /**
   * Counts an attempt for each key, but stops at the first one that exceeds its limit.
   * @returns how long to wait in milliseconds; 0 if no limit is exceeded.
   */
  count(attempts: readonly CountedAttempt[], now: number): Promise<number>
  /** Reverts the count of an attempt. */
  takeBack(keys: readonly string[]): Promise<void>
}
