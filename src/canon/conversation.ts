import type { JsonObject, JsonValue } from "./json.ts"

/** A reference to what a request continues. */
export interface ConversationName {
  readonly kind: "response" | "item"
  readonly id: string
}

/** An answer that can be continued. */
export interface ConversationAnswer {
  readonly id: string
  /** As its caller received it. */
  readonly body: JsonObject
  readonly items: readonly JsonObject[]
}

/**
 * How a dialect continues earlier answers: where a body refers to them, and how their items look in a body
 * without references.
 */
export interface ConversationForm {
  /** All references in a body. */
  names(body: JsonObject): readonly ConversationName[]
  /** The body with the items in place of their references. @param kept by `conversationKey`. */
  replaced(body: JsonObject, kept: ReadonlyMap<string, readonly JsonValue[]>): JsonObject
  /** Whether the answer to a body is to be stored. */
  wantsKept(body: JsonObject): boolean
  /** The items of a body without references; undefined where it continues something that only a vendor knows. */
  items(body: JsonObject): readonly JsonValue[] | undefined
  /** An item as it is listed. @param mark returns a stable id for an item without one. */
  listed(item: JsonValue, mark: () => string): JsonObject
  /** @param last a whole answer, or the last frame of one. @returns undefined where it is not whole. */
  answer(last: JsonObject): ConversationAnswer | undefined
}

/** One text for a name. */
export function conversationKey({ kind, id }: ConversationName): string {
  return `${kind}\0${id}`
}
