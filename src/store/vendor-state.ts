/** State that a vendor stores, and the account that owns it. */
export interface VendorStateRecord {
  /** HMAC of its kind and id. The id itself is not stored. */
  readonly idHash: string
  /** The provider that stores it. */
  readonly provider: string
  readonly kind: string
  /** The owner; empty if the same id was given to several accounts, so that no account owns it. */
  readonly account: string
  /** The request that created it. */
  readonly request: string
  /** Number of tokens it represents; null if unknown. */
  readonly tokens: number | null
  /** Unix milliseconds. */
  readonly createdAt: number
  /** When it becomes unknown. */
  readonly expiresAt: number
}

export interface VendorStateReads {
  /** Returns the records for hashes of ids. One id may be known at several providers. */
  find(idHashes: readonly string[]): Promise<VendorStateRecord[]>
}

export interface VendorStateWrites {
  /** Removes an account's ownership of the state with these ids. */
  disown(account: string, idHashes: readonly string[]): Promise<void>
  /**
   * Deletes some of the expired records, and some of the oldest beyond `max`.
   * @returns the number of deleted records; call again until it is 0.
   */
  sweep(now: number, max: number): Promise<number>
}
