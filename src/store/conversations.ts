/** One encrypted record: a response with all that came before it, or an item of one. */
export interface KeptPart {
  /** The hash it is found by: reveals nothing of the id. */
  readonly hash: string
  readonly encrypted: Uint8Array
}

/** What is stored of one answer, so that its account can continue from it. */
export interface ConversationRecord {
  readonly account: string
  /** Unix milliseconds. */
  readonly at: number
  readonly expiresAt: number
  /** The first is the answer: it is deleted together with all its parts. */
  readonly parts: readonly KeptPart[]
}

/** How much may be stored, in bytes; the oldest are deleted first. */
export interface ConversationRoom {
  readonly accountBytes: number
  readonly totalBytes: number
}

/** An answer and the room that there is for it. */
export interface ConversationWrite {
  readonly record: ConversationRecord
  readonly room: ConversationRoom
}

/** How to find parts. */
export interface FindOptions {
  /** Unix milliseconds. */
  readonly now: number
  /** How long answers are kept now, milliseconds: those that are older are over, whatever was said when they were kept. */
  readonly keep: number
  /** Bytes to return at most. */
  readonly max: number
}

/** The parts that were found, or their size in bytes where that is more than `max`. */
export type FoundParts = readonly KeptPart[] | number

/** Where the parts of conversations are stored. */
export interface ConversationParts {
  /** All of them in one transaction. */
  keep(writes: readonly ConversationWrite[]): Promise<void>
  /** Those of the parts that exist and have not expired. */
  find(hashes: readonly string[], options: FindOptions): Promise<FoundParts>
  /** @returns whether it existed. */
  delete(hash: string): Promise<boolean>
  /** Deletes what has expired. @param keep as in `FindOptions`. */
  sweep(now: number, keep: number): Promise<void>
}
