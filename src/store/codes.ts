/** Times are Unix milliseconds; amounts are nanocredits. */

/** A code that gives credits, once to each account. */
export interface CodeRecord {
  readonly id: string
  /** The last characters of the code, to tell codes apart. */
  readonly hint: string
  readonly note: string | null
  /** What each use of it gives. */
  readonly amount: bigint
  /** How many accounts may use it, and how many have. */
  readonly uses: number
  readonly used: number
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly author: string | null
}

export type NewCode = Omit<CodeRecord, "used" | "revokedAt"> & {
  /** HMAC of the code, hexadecimal. The code itself is nowhere. */
  readonly hash: string
}

/** Somebody types a code for an account. */
export interface Redemption {
  readonly hash: string
  readonly account: string
  readonly at: number
  readonly author: string | null
}
