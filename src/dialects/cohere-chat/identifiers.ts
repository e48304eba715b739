import type { Extra } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"

export const DIALECT = "cohere-chat"

/** The fields as an extra of this dialect. */
export function extraOf(fields: JsonObject): Extra {
  return { dialect: DIALECT, fields }
}
