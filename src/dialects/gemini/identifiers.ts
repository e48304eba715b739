import type { Extra } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"

export const DIALECT = "gemini"

/** How an id begins that is made here. */
export const ID_PREFIX = "resp_"

/** The fields of an extra of this dialect; what belongs to another stays out. */
export function ownFields(extra: Extra | undefined): JsonObject | undefined {
  return extra?.dialect === DIALECT ? extra.fields : undefined
}

/** The fields as an extra of this dialect. */
export function extraOf(fields: JsonObject): Extra {
  return { dialect: DIALECT, fields }
}
