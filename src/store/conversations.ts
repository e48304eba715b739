/** One sealed thing: a response with all that came before it, or an item of one. */
export interface KeptPart {
  /** By which it is found: says nothing of the id itself. */
  readonly hash: string
  readonly sealed: Uint8Array
}

/** What is kept of one answer, so that its account can go on from it. */
export interface ConversationRecord {
  readonly account: string
  /** Unix milliseconds. */
  readonly at: number
  readonly expiresAt: number
  /** The first stands for the answer: what is deleted or gives way goes with all its parts. */
  readonly parts: readonly KeptPart[]
}

/** How much may be kept, in bytes; the oldest give way. */
export interface ConversationRoom {
  readonly accountBytes: number
  readonly totalBytes: number
}

/** An answer and the room that there is for it. */
export interface ConversationWrite {
  readonly record: ConversationRecord
  readonly room: ConversationRoom
}

/** How parts are looked for. */
export interface FindOptions {
  /** Unix milliseconds. */
  readonly now: number
  /** How long answers are kept now, milliseconds: those that are older are over, whatever was said when they were kept. */
  readonly keep: number
  /** Bytes that can be taken. */
  readonly max: number
}

/** Parts that were found, or how many bytes they are where that is more than can be taken. */
export type FoundParts = readonly KeptPart[] | number

/** Where the parts of conversations are kept. */
export interface ConversationParts {
  /** All of them in one transaction. */
  keep(writes: readonly ConversationWrite[]): Promise<void>
  /** Those of the parts that are there and whose time is not over. */
  find(hashes: readonly string[], options: FindOptions): Promise<FoundParts>
  /** @returns whether there was something. */
  delete(hash: string): Promise<boolean>
  /** Deletes what is over. @param keep as in `FindOptions`. */
  sweep(now: number, keep: number): Promise<void>
}
