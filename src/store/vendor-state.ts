/** Something that a vendor keeps, and whose it is. */
export interface VendorStateRecord {
  /** HMAC of its kind and id: the id itself is nowhere. */
  readonly idHash: string
  /** The provider that keeps it. */
  readonly provider: string
  readonly kind: string
  /** Whose it is; empty when two accounts were given the same id, so that it is no one's. */
  readonly account: string
  /** The request that it was made by. */
  readonly request: string
  /** How many tokens it stands for; null where that is not known. */
  readonly tokens: number | null
  /** Unix milliseconds. */
  readonly createdAt: number
  /** From then on it counts as unknown. */
  readonly expiresAt: number
}

export interface VendorStateReads {
  /** What vendors keep under ids of these hashes; one id may be known at several providers. */
  find(idHashes: readonly string[]): Promise<VendorStateRecord[]>
}

export interface VendorStateWrites {
  /** What an account had under ids of these hashes is no one's from then on. */
  disown(account: string, idHashes: readonly string[]): Promise<void>
  /**
   * Deletes some of what has expired, and of the oldest beyond `most` records.
   * @returns how many: as long as there are any, there may be more.
   */
  sweep(now: number, max: number): Promise<number>
}
