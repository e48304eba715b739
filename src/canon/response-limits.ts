import { GatewayError } from "./errors.ts"
import type { JsonObject, JsonValue } from "./json.ts"

/** Maximum entries of one response, which are converted in one turn of the event loop. No model returns this many. */
const MAX_ENTRIES = {
  "tool calls": 1_000,
  images: 1_000,
  /** Output items, content blocks, texts and reasoning, and the events of one frame of a stream. */
  parts: 10_000,
  /** Names and positions in the paths of streamed arguments, and the elements that they add to lists. */
  "steps of arguments": 100_000,
  /**
   * Members that frames add to objects that outlast the frames. JavaScript engines sort members whose names are
   * numbers, which takes time.
   */
  members: 20_000,
  /** Annotations and sources. */
  citations: 10_000,
  /** Segments or words of a transcript. About ten hours of speech have this many words. */
  "segments or words": 100_000,
} as const

export type ResponseEntries = keyof typeof MAX_ENTRIES

/**
 * Checks the number of entries of a response.
 * @throws GatewayError `upstream_error` if there are more entries than a response can have.
 */
export function checkEntries(entries: ResponseEntries, count: number): void {
  const max = MAX_ENTRIES[entries]
  if (count <= max) return
  throw new GatewayError(
    "upstream_error",
    `The provider sent a response of more than ${max.toLocaleString("en-US")} ${entries}, which the gateway does not pass on. Request fewer.`,
    { providerError: "generation", billedResponse: {} },
  )
}

/** Counts the parts and citations of one response, before they are converted. */
export class EntryCount {
  #parts = 0
  #citations = 0

  /** Adds the parts in a member that may be a list. @throws GatewayError `upstream_error` if there are too many. */
  parts(value: JsonValue | undefined): void {
    if (Array.isArray(value)) checkEntries("parts", (this.#parts += value.length))
  }

  /** Adds the citations in a member that may be a list. @throws GatewayError `upstream_error` if there are too many. */
  citations(value: JsonValue | undefined): void {
    if (Array.isArray(value)) checkEntries("citations", (this.#citations += value.length))
  }
}

/**
 * Merges the members of frames into objects that outlast the frames. It merges in place, because copying the objects
 * would take quadratic time.
 */
export class GrowingMembers {
  #count = 0

  /** Sets a member. @throws GatewayError `upstream_error` if the response has added too many. */
  set(object: JsonObject, name: string, value: JsonValue | undefined): void {
    // An assignment would replace the prototype.
    if (name === "__proto__") return
    if (!Object.hasOwn(object, name)) checkEntries("members", ++this.#count)
    object[name] = value
  }

  /** Sets all members of another object. @throws GatewayError `upstream_error` if the response has added too many. */
  assign(object: JsonObject, members: JsonObject): void {
    for (const name in members) this.set(object, name, members[name])
  }
}
