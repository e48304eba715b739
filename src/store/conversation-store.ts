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
import { StepsOnDemand } from "./steps-on-demand.ts"

/** Kept conversations, on a thread that begins with the first one. */
export class ConversationStore implements AsyncDisposable {
  readonly #path: string
  readonly #steps: StepsOnDemand<ConversationSteps>

  /** @param bookPath the book's: the file is beside it. */
  constructor(bookPath: string) {
    this.#path = join(dirname(bookPath), "conversations.db")
    this.#steps = new StepsOnDemand({
      thread: "store/sqlite/conversations-thread.ts",
      path: this.#path,
      steps: CONVERSATION_STEPS,
      noun: "the conversations",
    })
  }

  async keep(record: ConversationRecord, room: ConversationRoom): Promise<void> {
    await (await this.#steps.get()).keepConversation(record, room)
  }

  async find(hashes: readonly string[], order: FindOrder): Promise<readonly KeptPart[] | null> {
    if (!existsSync(this.#path)) return []
    return (await this.#steps.get()).findConversations(hashes, order)
  }

  async delete(hash: string): Promise<boolean> {
    return existsSync(this.#path) && (await this.#steps.get()).deleteConversation(hash)
  }

  /** Deletes those whose time is over. */
  async sweep(now: number): Promise<void> {
    if (existsSync(this.#path)) await (await this.#steps.get()).sweepConversations(now)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#steps[Symbol.asyncDispose]()
  }
}
