import { fittedCallId, mintCallId, mintId } from "../shared/identifiers.ts"

/** What this dialect calls itself. */
export const DIALECT = "openai-responses"

/** Of an answer. */
export const ID_PREFIX = "resp_"

/** The longest id of a call (OpenAI's OpenAPI description). */
const LONGEST_CALL_ID = 64

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

/** The id of a call as OpenAI takes it. */
export function callId(id: string): string {
  return id.length <= LONGEST_CALL_ID ? id : fittedCallId(id, LONGEST_CALL_ID)
}
