import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"

/** Kinds of content that may be in the input without a message around them. */
const CONTENT_TYPES: ReadonlySet<JsonValue | undefined> = new Set([
  "text",
  "input_text",
  "input_image",
  "input_file",
  "input_audio",
])

/**
 * Wraps content objects and plain texts of an input in user messages: the specification allows "an array of
 * content objects", the vendors of this dialect only items. Adjacent ones become one message.
 *
 * @returns the same input if it has none, as nearly always.
 */
export function withMessages(input: readonly JsonValue[]): readonly JsonValue[] {
  if (!input.some(isContent)) return input
  const items: JsonValue[] = []
  let open: JsonValue[] | undefined
  for (const item of input) {
    if (!isContent(item)) {
      open = undefined
      items.push(item)
    } else if (open === undefined) {
      open = [contentOf(item)]
      items.push({ type: "message", role: "user", content: open })
    } else open.push(contentOf(item))
  }
  return items
}

function isContent(item: JsonValue): item is string | JsonObject {
  if (typeof item === "string") return true
  return isJsonObject(item) && item.role === undefined && CONTENT_TYPES.has(item.type)
}

function contentOf(item: string | JsonObject): JsonObject {
  if (typeof item === "string") return { type: "input_text", text: item }
  return item.type === "text" ? { ...item, type: "input_text" } : item
}
