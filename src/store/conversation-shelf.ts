import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  CONVERSATION_STEPS,
  type ConversationRecord,
  type ConversationRoom,
  type ConversationSteps,
  type FindOrder,
  type KeptPart,
} from "./conversation-records.ts"
import { openOnThread } from "./sqlite/step-thread.ts"

/** Kept conversations, on a thread that begins with the first one. */
export class ConversationShelf implements AsyncDisposable {
  readonly #path: string
  #opening: Promise<ConversationSteps> | undefined
  #isClosed = false

  /** @param bookPath the book's: the file is beside it. */
  constructor(bookPath: string) {
    this.#path = join(dirname(bookPath), "conversations.db")
  }

  async keep(record: ConversationRecord, room: ConversationRoom): Promise<void> {
    await (await this.#steps()).keepConversation(record, room)
  }

  async find(hashes: readonly string[], order: FindOrder): Promise<readonly KeptPart[] | null> {
    if (!existsSync(this.#path)) return []
    return (await this.#steps()).findConversations(hashes, order)
  }

  async delete(hash: string): Promise<boolean> {
    return existsSync(this.#path) && (await this.#steps()).deleteConversation(hash)
  }

  /** Deletes those whose time is over. */
  async sweep(now: number): Promise<void> {
    if (existsSync(this.#path)) await (await this.#steps()).sweepConversations(now)
  }

  #steps(): Promise<ConversationSteps> {
    if (this.#isClosed) return Promise.reject(new Error("the conversations are closed"))
    this.#opening ??= openOnThread<ConversationSteps>(
      "store/sqlite/conversations-thread.ts",
      this.#path,
      CONVERSATION_STEPS,
    ).catch((error: unknown) => {
      // The next conversation tries again.
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const steps = await this.#opening?.catch(() => undefined)
    await steps?.[Symbol.asyncDispose]()
  }
}
