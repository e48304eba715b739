import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../../canon/json.ts"

/** Types of content that may be in the input without a message around them. */
const CONTENT_TYPES: ReadonlySet<JsonValue | undefined> = new Set([
  "text",
  "input_text",
  "input_image",
  "input_file",
  "input_audio",
])

/**
 * Wraps bare content and strings of an input in user messages. The specification allows "an array of content objects",
 * but vendors of this dialect accept only items. Adjacent content is wrapped in one message.
 * @returns the same input if it has no bare content, which is the usual case.
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

/**
 * Removes the id of a message if an earlier item has the same id. OpenAI rejects such an input, which the client pi
 * sends when it continues another model's response. The id of a message is optional.
 * @returns the same input if all ids differ, which is the usual case.
 */
export function withDistinctIds(input: readonly JsonValue[]): readonly JsonValue[] {
  const seen = new Set<string>()
  let distinct: JsonValue[] | undefined
  for (const [index, item] of input.entries()) {
    const id = isJsonObject(item) ? textAt(item, "id") : undefined
    if (id === undefined || !isJsonObject(item)) continue
    if (seen.has(id) && item.role !== undefined) {
      const { id: _, ...rest } = item
      distinct ??= [...input]
      distinct[index] = rest
    }
    seen.add(id)
  }
  return distinct ?? input
}

function isContent(item: JsonValue): item is string | JsonObject {
  if (typeof item === "string") return true
  return isJsonObject(item) && item.role === undefined && CONTENT_TYPES.has(item.type)
}

function contentOf(item: string | JsonObject): JsonObject {
  if (typeof item === "string") return { type: "input_text", text: item }
  return item.type === "text" ? { ...item, type: "input_text" } : item
}
