import { fittedCallId, mintCallId, mintId } from "../shared/identifiers.ts"

/** The dialect's name. */
export const DIALECT = "openai-responses"

/** The prefix of response ids. */
export const ID_PREFIX = "resp_"

/** The longest id of a call (OpenAI's OpenAPI description). */
const MAX_CALL_ID_LENGTH = 64

/**
 * The ids of one response. They are unique among its items, since OpenAI's client rejects a stream that repeats an id,
 * and unique among its calls. Reasoning may share the id of the call that it belongs to.
 */
export class ItemIds {
  readonly #items = new Set<string>()
  readonly #calls = new Set<string>()

  /** @param wanted the id that the item already has, if any. */
  itemId(prefix: string, wanted?: string): string {
    return taken(this.#items, wanted) ?? mintId(prefix)
  }

  /** The id that links a call and its output. */
  callId(wanted: string): string {
    return taken(this.#calls, wanted) ?? mintCallId()
  }
}

function taken(ids: Set<string>, wanted: string | undefined): string | undefined {
  if (wanted === undefined || wanted === "" || ids.has(wanted)) return undefined
  ids.add(wanted)
  return wanted
}

/** A call's id in a form that OpenAI accepts. */
export function callId(id: string): string {
  return id.length <= MAX_CALL_ID_LENGTH ? id : fittedCallId(id, MAX_CALL_ID_LENGTH)
}
