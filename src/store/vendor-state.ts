/** Something that a vendor keeps, and whose it is. */
export interface VendorStateRecord {
  /** HMAC of its kind and id: the id itself is nowhere. */
  readonly idHash: string
  /** The provider that keeps it. */
  readonly provider: string
  readonly kind: string
  /** Whose it is; empty when two accounts were given the same id, so that it is nobody's. */
  readonly account: string
  /** The request that it was made by. */
  readonly request: string
  /** How many tokens stand behind it; null where nobody knows. */
  readonly tokens: number | null
  /** Unix milliseconds. */
  readonly createdAt: number
  /** From then on it counts as unknown. */
  readonly expiresAt: number
}
