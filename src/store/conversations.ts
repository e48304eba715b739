/** One encrypted record: a response with its whole history, or a single item. */
export interface KeptPart {
  /** The hash for finding the record. It reveals nothing about the id. */
  readonly hash: string
  readonly encrypted: Uint8Array
}

/** The stored data of one answer, so that its account can continue from it. */
export interface ConversationRecord {
  readonly account: string
  /** Unix milliseconds. */
  readonly at: number
  readonly expiresAt: number
  /** The first part is the answer. Deleting the answer deletes all parts. */
  readonly parts: readonly KeptPart[]
}

/** Maximum stored bytes; the oldest answers are deleted first. */
export interface ConversationRoom {
  readonly accountBytes: number
  readonly totalBytes: number
}

/** An answer to store, and the available space. */
export interface ConversationWrite {
  readonly record: ConversationRecord
  readonly room: ConversationRoom
}

/** Options for finding parts. */
export interface FindOptions {
  /** Unix milliseconds. */
  readonly now: number
  /**
   * The current retention of answers, in milliseconds. Older answers have expired, even if they were stored with a
   * longer retention.
   */
  readonly keep: number
  /** Maximum bytes to return. */
  readonly max: number
}

/** The parts, or their size in bytes if it exceeds `max`. */
export type FoundParts = readonly KeptPart[] | number

/** Stores the parts of conversations. */
export interface ConversationParts {
  /** Stores all of them in one transaction. */
  keep(writes: readonly ConversationWrite[]): Promise<void>
  /** Returns the parts that exist and have not expired. */
  find(hashes: readonly string[], options: FindOptions): Promise<FoundParts>
  /** @returns whether it existed. */
  delete(hash: string): Promise<boolean>
  /**
   * Deletes expired parts.
   * @param keep as in `FindOptions`.
   */
  sweep(now: number, keep: number): Promise<void>
}
