import type { JsonValue } from "../../canon/json.ts"
import { prefixedId } from "../shared/identifiers.ts"

/** The dialect's name. */
export const DIALECT = "openai-chat"

/** The prefix of chat completion ids. */
export const ID_PREFIX = "chatcmpl-"

/** A vendor's id with the prefix of this dialect; undefined when the vendor gave none. */
export function ownId(id: JsonValue | undefined): string | undefined {
  return typeof id === "string" && id !== "" ? prefixedId(ID_PREFIX, id) : undefined
}
