/** State that a vendor stores, and the account that owns it. */
export interface VendorStateRecord {
  /** HMAC of the kind and the id. The id itself is not stored. */
  readonly idHash: string
  /** The provider that stores the state. */
  readonly provider: string
  readonly kind: string
  /** The owner. Empty if the same id was given to several accounts, so that no account owns the state. */
  readonly account: string
  /** The id of the request that created the state. */
  readonly request: string
  /** Number of tokens that the state represents; null if unknown. */
  readonly tokens: number | null
  /** Creation time in Unix milliseconds. */
  readonly createdAt: number
  /** When the record may be deleted, in Unix milliseconds. */
  readonly expiresAt: number
}

export interface VendorStateReads {
  /** Returns the records with these id hashes. The same id may be known at several providers. */
  find(idHashes: readonly string[]): Promise<VendorStateRecord[]>
}

export interface VendorStateWrites {
  /** Removes an account's ownership of the state with these ids. */
  removeOwner(account: string, idHashes: readonly string[]): Promise<void>
  /**
   * Deletes some expired records, and some of the oldest if there are more than `max`.
   * @returns the number of deleted records. It must be called until it returns 0.
   */
  sweep(now: number, max: number): Promise<number>
}
