import type { JsonObject } from "./json.ts"

/** The chat wire formats. */
export type DialectId =
  | "openai-chat"
  | "openai-responses"
  | "anthropic-messages"
  | "gemini"
  | "bedrock-converse"
  | "cohere-chat"

/** Fields of one dialect only. They are sent to that dialect and to no other. */
export interface Extra {
  readonly dialect: DialectId
  readonly fields: JsonObject
}

/** A field that could not be translated to another dialect. It is always reported. */
export interface Loss {
  readonly name: string
  /** `emulated`: the vendor lacks the feature, and the gateway used another feature of the vendor instead. */
  readonly effect: "dropped" | "approximated" | "emulated"
}

const MAX_LOSSES = 50
/** Matches names without characters that separate header values. */
const PLAIN_NAME = /^[\w.[\]/-]{1,64}$/
const OTHER_FIELDS: Loss = { name: "other_fields", effect: "dropped" }

/**
 * Returns losses as reported in headers, receipts and logs. Callers choose the names of unknown fields. Losses with
 * unusual characters in their names, and losses beyond a readable number, are therefore combined into one.
 */
export function reportable(losses: readonly Loss[]): readonly Loss[] {
  if (losses.length === 0) return losses
  const plain = losses.filter(({ name }) => PLAIN_NAME.test(name))
  if (plain.length === losses.length && plain.length <= MAX_LOSSES) return losses
  return [...plain.slice(0, MAX_LOSSES), OTHER_FIELDS]
}

/** Wraps fields that exist in one dialect only as an extra. */
export function extraOf(dialect: DialectId, fields: JsonObject): Extra {
  return { dialect, fields }
}

/** Returns the fields of an extra if it belongs to the dialect. */
export function ownFields(dialect: DialectId, extra: Extra | undefined): JsonObject | undefined {
  return extra?.dialect === dialect ? extra.fields : undefined
}
