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

/** Fields that only one dialect knows, as its extra. */
export function extraOf(dialect: DialectId, fields: JsonObject): Extra {
  return { dialect, fields }
}

/** The fields of an extra of the dialect; fields of another dialect are left out. */
export function ownFields(dialect: DialectId, extra: Extra | undefined): JsonObject | undefined {
  return extra?.dialect === dialect ? extra.fields : undefined
}
