import type { DialectId, Extra } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"

/** Fields that only one dialect knows, as its extra. */
export function extraOf(dialect: DialectId, fields: JsonObject): Extra {
  return { dialect, fields }
}

/** The fields of an extra of the dialect; what belongs to another stays out. */
export function ownFields(dialect: DialectId, extra: Extra | undefined): JsonObject | undefined {
  return extra?.dialect === dialect ? extra.fields : undefined
}
