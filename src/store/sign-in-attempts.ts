/** A counter and its limit, such as that of an address or a user. */
export interface CountedAttempt {
  readonly key: string
  readonly max: number
  /** Milliseconds. */
  readonly window: number
}

/** Attempts to sign in, counted for all processes together. */
export interface SignInAttempts {
  /**
   * Counts an attempt under each key, stopping at the first that exceeds its limit.
   * @returns how long to wait, in milliseconds; 0 if no limit is exceeded.
   */
  count(attempts: readonly CountedAttempt[], now: number): Promise<number>
  /** Undoes a count. */
  takeBack(keys: readonly string[]): Promise<void>
}
