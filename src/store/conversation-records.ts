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

/** How parts are looked for. */
export interface FindOrder {
  /** Unix milliseconds. */
  readonly now: number
  /** Bytes that can be taken. */
  readonly most: number
}

/** Where conversations are kept: a file of its own beside the book. */
export interface ConversationSteps extends AsyncDisposable {
  keepConversation(record: ConversationRecord, room: ConversationRoom): Promise<void>
  /**
   * Those of the parts that are there and whose time is not over.
   * @returns null where they are more than can be taken.
   */
  findConversations(
    hashes: readonly string[],
    order: FindOrder,
  ): Promise<readonly KeptPart[] | null>
  /** @returns whether there was something. */
  deleteConversation(hash: string): Promise<boolean>
  sweepConversations(now: number): Promise<void>
}

export const CONVERSATION_STEPS = [
  "keepConversation",
  "findConversations",
  "deleteConversation",
  "sweepConversations",
] as const
