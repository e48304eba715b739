import { mintCallId, mintId } from "../shared/identifiers.ts"

export const DIALECT = "openai-responses"

/** Of an answer. */
export const ID_PREFIX = "resp_"

/** The last event of every stream whose answer came to its end, whole or cut short. */
export const COMPLETED = "response.completed"

/** Members of `include` that the canon knows: reasoning that can come back, and log probabilities. */
export const INCLUDE_REASONING = "reasoning.encrypted_content"
export const INCLUDE_LOGPROBS = "message.output_text.logprobs"

/** What of `include` the canon has a name for. */
export const KNOWN_INCLUDES: ReadonlySet<unknown> = new Set([INCLUDE_REASONING, INCLUDE_LOGPROBS])

/** Asks for the addresses of what a search found. */
export const INCLUDE_SOURCES = "web_search_call.action.sources"

/**
 * The ids of the items of one response, of which no two may be the same: OpenAI's client refuses a
 * stream in which one comes twice.
 */
export class ItemIds {
  readonly #taken = new Set<string>()

  /** @param wanted the id that the item already has, if any. */
  itemId(prefix: string, wanted?: string): string {
    return this.#take(wanted) ?? mintId(prefix)
  }

  /** The id by which a call and its output find each other. */
  callId(wanted: string): string {
    return this.#take(wanted) ?? mintCallId()
  }

  #take(wanted: string | undefined): string | undefined {
    if (wanted === undefined || wanted === "" || this.#taken.has(wanted)) return undefined
    this.#taken.add(wanted)
    return wanted
  }
}
