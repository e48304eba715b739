import { fittedCallId, mintCallId, mintId } from "../shared/identifiers.ts"

export const DIALECT = "openai-responses"

/** The prefix of response ids. */
export const ID_PREFIX = "resp_"

/** Maximum length of a call id (OpenAI's OpenAPI description). */
const MAX_CALL_ID_LENGTH = 64

/**
 * Assigns the ids of one response. The ids of items are unique, because OpenAI's client rejects a stream that repeats
 * an id. The ids of calls are unique too. Reasoning may share the id of the call that it belongs to.
 */
export class ItemIds {
  readonly #items = new Set<string>()
  readonly #calls = new Set<string>()

  /**
   * Returns an id for an item.
   * @param wanted the id that the item already has, if any.
   */
  itemId(prefix: string, wanted?: string): string {
    return taken(this.#items, wanted) ?? mintId(prefix)
  }

  /** Returns the id that links a call to its output. */
  callId(wanted: string): string {
    return taken(this.#calls, wanted) ?? mintCallId()
  }
}

function taken(ids: Set<string>, wanted: string | undefined): string | undefined {
  if (wanted === undefined || wanted === "" || ids.has(wanted)) return undefined
  ids.add(wanted)
  return wanted
}

/** Returns the id of a call in a form that OpenAI accepts. */
export function callId(id: string): string {
  return id.length <= MAX_CALL_ID_LENGTH ? id : fittedCallId(id, MAX_CALL_ID_LENGTH)
}
