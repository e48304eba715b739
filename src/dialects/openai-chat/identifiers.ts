import type { JsonValue } from "../../canon/json.ts"
import { prefixedId } from "../shared/identifiers.ts"

/** What this dialect calls itself. */
export const DIALECT = "openai-chat"

/** Of an answer: chat completions are recognized by it. */
export const ID_PREFIX = "chatcmpl-"

/** A vendor's id under the prefix of this dialect; undefined when the vendor gave none. */
export function ownId(id: JsonValue | undefined): string | undefined {
  return typeof id === "string" && id !== "" ? prefixedId(ID_PREFIX, id) : undefined
}
