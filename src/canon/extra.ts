import type { JsonObject } from "./json.ts"

/** The chat wire formats. */
export type DialectId =
  | "openai-chat"
  | "openai-responses"
  | "anthropic-messages"
  | "gemini"
  | "bedrock-converse"
  | "cohere-chat"

/** Fields that only one dialect knows. They are returned to that dialect and to no other. */
export interface Extra {
  readonly dialect: DialectId
  readonly fields: JsonObject
}

/** A field that could not be carried to the other dialect: always reported, never silent. */
export interface Loss {
  readonly name: string
  /** `emulated`: the vendor has no such feature, and another of its features was used instead. */
  readonly effect: "dropped" | "approximated" | "emulated"
}

const MOST_LOSSES = 50
/** As the names of fields are; without what separates names in a header. */
const PLAIN_NAME = /^[\w.[\]/-]{1,64}$/
const OTHER_FIELDS: Loss = { name: "other_fields", effect: "dropped" }

/**
 * Losses as they are reported: in a header, on receipts, in logs. The names of unknown fields are the caller's own, so
 * those that are no plain names, and what is more than can be read, are one loss together.
 */
export function reportable(losses: readonly Loss[]): readonly Loss[] {
  if (losses.length === 0) return losses
  const plain = losses.filter(({ name }) => PLAIN_NAME.test(name))
  if (plain.length === losses.length && plain.length <= MOST_LOSSES) return losses
  return [...plain.slice(0, MOST_LOSSES), OTHER_FIELDS]
}

/** Fields that only one dialect knows, as its extra. */
export function extraOf(dialect: DialectId, fields: JsonObject): Extra {
  return { dialect, fields }
}

/** The fields of an extra of the dialect; fields of another dialect are left out. */
export function ownFields(dialect: DialectId, extra: Extra | undefined): JsonObject | undefined {
  return extra?.dialect === dialect ? extra.fields : undefined
}
