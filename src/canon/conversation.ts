import type { JsonObject, JsonValue } from "./json.ts"

/** A reference to the conversation that a request continues. */
export interface ConversationName {
  readonly kind: "response" | "item"
  readonly id: string
}

/** A response that can be continued. */
export interface ConversationResponse {
  readonly id: string
  /** The body that the caller received. */
  readonly body: JsonObject
  readonly items: readonly JsonObject[]
}

/**
 * A dialect's rules for continuing earlier responses. They define the references in a body, and the form of the items
 * that replace them.
 */
export interface ConversationForm {
  /** Returns all references in a body. */
  names(body: JsonObject): readonly ConversationName[]
  /**
   * Replaces the references in a body with the stored items.
   * @param kept the items of each reference, by `conversationKey`.
   */
  replaced(body: JsonObject, kept: ReadonlyMap<string, readonly JsonValue[]>): JsonObject
  /** Reports whether the response to a body must be stored. */
  wantsKept(body: JsonObject): boolean
  /**
   * Returns the items of a body without references; undefined if the body continues a conversation that only a vendor
   * has stored.
   */
  items(body: JsonObject): readonly JsonValue[] | undefined
  /**
   * Returns an item in the form used in lists.
   * @param mark returns a stable id for an item without an id.
   */
  listed(item: JsonValue, mark: () => string): JsonObject
  /**
   * Returns the response to store; undefined if it is incomplete.
   * @param last a complete response, or its last frame.
   */
  response(last: JsonObject): ConversationResponse | undefined
}

export function conversationKey({ kind, id }: ConversationName): string {
  return `${kind}\0${id}`
}
