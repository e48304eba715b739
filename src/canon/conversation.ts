import type { JsonObject, JsonValue } from "./json.ts"

/** What a request goes on from. */
export interface ConversationName {
  readonly kind: "response" | "item"
  readonly id: string
}

/** An answer as it can be gone on from. */
export interface ConversationAnswer {
  readonly id: string
  /** As its caller got it. */
  readonly body: JsonObject
  readonly items: readonly JsonObject[]
}

/**
 * How a dialect goes on from earlier answers: where a body names them, and how their items stand in
 * a body that names none.
 */
export interface ConversationForm {
  /** What a body goes on from, as often as it does. */
  names(body: JsonObject): readonly ConversationName[]
  /** The body with the items in the place of their names. @param kept by `conversationKey`. */
  replaced(body: JsonObject, kept: ReadonlyMap<string, readonly JsonValue[]>): JsonObject
  /** Whether the answer to a body is to be kept. */
  wantsKept(body: JsonObject): boolean
  /** The items of a body that names none; undefined where it goes on from what only a vendor knows. */
  items(body: JsonObject): readonly JsonValue[] | undefined
  /** Such items as they are shown. @param mark what is always the same of an item's place among them. */
  listed(items: readonly JsonValue[], mark: (index: number) => string): readonly JsonObject[]
  /** @param last a whole answer, or the last frame of one. @returns undefined where it is not whole. */
  answer(last: JsonObject): ConversationAnswer | undefined
}

/** One text for a name. */
export function conversationKey({ kind, id }: ConversationName): string {
  return `${kind}\0${id}`
}
