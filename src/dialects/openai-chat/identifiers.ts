import type { JsonValue } from "../../canon/json.ts"
import { prefixedId } from "../shared/identifiers.ts"

export const DIALECT = "openai-chat"

/** The prefix of chat completion ids. */
export const ID_PREFIX = "chatcmpl-"

/** Returns a vendor's id with the prefix of this dialect; undefined if the vendor did not send one. */
export function ownId(id: JsonValue | undefined): string | undefined {
  return typeof id === "string" && id !== "" ? prefixedId(ID_PREFIX, id) : undefined
}
