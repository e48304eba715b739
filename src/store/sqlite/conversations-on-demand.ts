import { existsSync } from "node:fs"
import type {
  ConversationParts,
  ConversationWrite,
  FindOptions,
  FoundParts,
} from "../conversations.ts"
import { conversationsPath } from "./conversations-file.ts"
import { ThreadOnDemand } from "../threads/thread-on-demand.ts"

/** Methods of the worker thread that stores conversations. */
export interface ConversationMethods extends AsyncDisposable {
  readonly parts: ConversationParts
}

/**
 * Conversations in a file next to the ledger. The file is created, and its thread is started, when the first
 * conversation is stored.
 */
export class ConversationsOnDemand implements ConversationParts, AsyncDisposable {
  readonly #path: string
  readonly #thread: ThreadOnDemand<ConversationMethods>

  /** @param databasePath the path of the ledger. */
  constructor(databasePath: string) {
    this.#path = conversationsPath(databasePath)
    this.#thread = new ThreadOnDemand({
      thread: "store/sqlite/conversations-thread.ts",
      path: this.#path,
      noun: "the conversations",
    })
  }

  async keep(writes: readonly ConversationWrite[]): Promise<void> {
    await (await this.#thread.get()).parts.keep(writes)
  }

  async find(hashes: readonly string[], options: FindOptions): Promise<FoundParts> {
    return existsSync(this.#path) ? (await this.#thread.get()).parts.find(hashes, options) : []
  }

  async delete(hash: string): Promise<boolean> {
    return existsSync(this.#path) && (await this.#thread.get()).parts.delete(hash)
  }

  async sweep(now: number, keep: number): Promise<void> {
    if (existsSync(this.#path)) await (await this.#thread.get()).parts.sweep(now, keep)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]()
  }
}
