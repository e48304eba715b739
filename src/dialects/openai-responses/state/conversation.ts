import {
  type ConversationAnswer,
  type ConversationForm,
  conversationKey,
  type ConversationName,
} from "../../../canon/conversation.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../../canon/json.ts"
import { isEmptied, isReference } from "./index.ts"
import { listedItem } from "./input-items.ts"

/** Types of items that a vendor looks up if they have an id. Without the id, the vendor uses their content. */
const FREE_OF_ID: ReadonlySet<JsonValue | undefined> = new Set([
  "message",
  "function_call",
  "custom_tool_call",
])

/** Statuses of answers that are no longer in progress, even if they were cut short. */
const WHOLE: ReadonlySet<JsonValue | undefined> = new Set(["completed", "incomplete"])

/** The rules for continuing earlier answers in a responses request (openai 7.55, `ResponseCreateParams`). */
export const CONVERSATION: ConversationForm = {
  names(body) {
    const names: ConversationName[] = []
    const previous = textAt(body, "previous_response_id")
    if (previous !== undefined) names.push({ kind: "response", id: previous })
    for (const item of listAt(body, "input")) {
      const id = referenceOf(item)
      if (id !== undefined) names.push({ kind: "item", id })
    }
    return names
  },
  replaced(body, kept) {
    const { previous_response_id: previous, ...rest } = body
    const before =
      typeof previous === "string"
        ? kept.get(conversationKey({ kind: "response", id: previous }))
        : undefined
    const input = inputOf(body).flatMap((item) => {
      const id = referenceOf(item)
      if (id === undefined) return [item]
      return (kept.get(conversationKey({ kind: "item", id })) ?? []).flatMap(restated)
    })
    return { ...rest, input: [...(before ?? []).flatMap(restated), ...input] }
  },
  wantsKept: (body) => body.store !== false,
  items: (body) =>
    isDefined(body.conversation) || isDefined(body.prompt) ? undefined : inputOf(body),
  listed: listedItem,
  answer(last) {
    const body = objectAt(last, "response") ?? last
    const id = textAt(body, "id")
    if (id === undefined || !WHOLE.has(body.status)) return undefined
    const answer: ConversationAnswer = {
      id,
      body,
      items: listAt(body, "output").filter(isJsonObject),
    }
    return answer
  },
}

function inputOf({ input }: JsonObject): readonly JsonValue[] {
  if (Array.isArray(input)) return input
  return isDefined(input) ? [{ type: "message", role: "user", content: input }] : []
}

function referenceOf(item: JsonValue): string | undefined {
  return isJsonObject(item) && isReference(item) ? textAt(item, "id") : undefined
}

/**
 * Returns an item as a caller would send it. An id from the gateway or another vendor is removed, because it is unknown
 * to the next vendor.
 */
function restated(item: JsonValue): JsonValue[] {
  if (!isJsonObject(item)) return [item]
  if (isEmptied(item)) return []
  const type = item.type ?? "message"
  if (!FREE_OF_ID.has(type)) return [item]
  const { id: _, ...rest } = item
  return [rest]
}
