import { fittedCallId, mintCallId, mintId } from "../shared/identifiers.ts"

/** The dialect's name. */
export const DIALECT = "openai-responses"

/** The prefix of response ids. */
export const ID_PREFIX = "resp_"

/** The longest id of a call (OpenAI's OpenAPI description). */
const LONGEST_CALL_ID = 64

/** The ids of the items of one response, all unique: OpenAI's client refuses a stream that repeats one. */
export class ItemIds {
  readonly #taken = new Set<string>()

  /** @param wanted the id that the item already has, if any. */
  itemId(prefix: string, wanted?: string): string {
    return this.#take(wanted) ?? mintId(prefix)
  }

  /** The id that links a call and its output. */
  callId(wanted: string): string {
    return this.#take(wanted) ?? mintCallId()
  }

  #take(wanted: string | undefined): string | undefined {
    if (wanted === undefined || wanted === "" || this.#taken.has(wanted)) return undefined
    this.#taken.add(wanted)
    return wanted
  }
}

/** A call's id in a form that OpenAI accepts. */
export function callId(id: string): string {
  return id.length <= LONGEST_CALL_ID ? id : fittedCallId(id, LONGEST_CALL_ID)
}
