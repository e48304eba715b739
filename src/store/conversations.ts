/** One encrypted record: a response with its whole history, or a single item. */
export interface KeptPart {
  /** The hash by which the record is found. It reveals nothing about the record's id. */
  readonly hash: string
  readonly encrypted: Uint8Array
}

/** The stored data of one response, from which the account can continue the conversation. */
export interface ConversationRecord {
  readonly account: string
  /** Time of the response in Unix milliseconds. */
  readonly at: number
  readonly expiresAt: number
  /** The parts. The first part is the response. Deleting the response deletes all parts. */
  readonly parts: readonly KeptPart[]
}

/** Maximum bytes that may be stored. If they are exceeded, the oldest responses are deleted. */
export interface ConversationRoom {
  readonly accountBytes: number
  readonly totalBytes: number
}

/** A response to store, with the available space. */
export interface ConversationWrite {
  readonly record: ConversationRecord
  readonly room: ConversationRoom
}

/** Options for finding parts. */
export interface FindOptions {
  /** Current time in Unix milliseconds. */
  readonly now: number
  /**
   * The current retention of responses in milliseconds. Older responses count as expired, even if they were stored with
   * a longer retention.
   */
  readonly keep: number
  /** Maximum bytes to return. */
  readonly max: number
}

/** The found parts, or their size in bytes if it exceeds `max`. */
export type FoundParts = readonly KeptPart[] | number

/** Stores the parts of conversations. */
export interface ConversationParts {
  /** Stores all responses in one transaction. */
  keep(writes: readonly ConversationWrite[]): Promise<void>
  /** Returns the parts that exist and have not expired. */
  find(hashes: readonly string[], options: FindOptions): Promise<FoundParts>
  /**
   * Deletes a response with all its parts.
   * @returns whether it existed.
   */
  delete(hash: string): Promise<boolean>
  /**
   * Deletes expired parts.
   * @param keep retention as in `FindOptions`.
   */
  sweep(now: number, keep: number): Promise<void>
}
