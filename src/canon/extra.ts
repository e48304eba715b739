import { type JsonObject, isJsonObject, type JsonValue } from "./json.ts"
import { GrowingMembers } from "./response-limits.ts"

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

/**
 * Maximum depth to which the extras of several events are merged. At deeper levels, the later value replaces the
 * earlier value.
 */
const MERGE_DEPTH = 4

/**
 * Merges the extras of several events: lists are appended, objects are merged, and other values are replaced. It copies
 * lists and objects once, so that each event is added in place.
 */
export class MergedExtra {
  #whole: Extra | undefined
  readonly #members = new GrowingMembers()

  get whole(): Extra | undefined {
    return this.#whole
  }

  /**
   * Adds an extra. An extra of another dialect replaces the present one.
   * @throws GatewayError `upstream_error` for too many members.
   */
  add({ dialect, fields }: Extra): void {
    if (this.#whole?.dialect !== dialect) this.#whole = { dialect, fields: {} }
    this.#merge(this.#whole.fields, fields, MERGE_DEPTH)
  }

  #merge(merged: JsonObject, fields: JsonObject, depth: number): void {
    for (const [name, value] of Object.entries(fields)) {
      // Inherited members are not part of the extra.
      const earlier = Object.hasOwn(merged, name) ? merged[name] : undefined
      if (Array.isArray(earlier) && Array.isArray(value)) {
        for (const item of value) earlier.push(item)
      } else if (depth > 0 && isJsonObject(earlier) && isJsonObject(value)) {
        this.#merge(earlier, value, depth - 1)
      } else this.#members.set(merged, name, this.#copy(value, depth))
    }
  }

  /** Copies lists and objects that may be merged later. */
  #copy(value: JsonValue | undefined, depth: number): JsonValue | undefined {
    if (Array.isArray(value)) return [...value]
    if (depth === 0 || !isJsonObject(value)) return value
    const copy: JsonObject = {}
    this.#merge(copy, value, depth - 1)
    return copy
  }
}
