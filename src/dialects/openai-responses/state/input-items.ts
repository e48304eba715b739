import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../../canon/json.ts"

/** The prefix of the new id for items without an id, by item type (openai 7.55, `ResponseItem`). */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: "msg_",
  function_call: "fc_",
  custom_tool_call: "ctc_",
  reasoning: "rs_",
}
const OTHER_PREFIX = "item_"

/**
 * Returns an input item of a response as OpenAI lists it: with its type, an id and, for messages, content as a list.
 * @param mark returns a stable mark for an item without an id.
 */
export function listedItem(item: JsonValue, mark: () => string): JsonObject {
  const given = isJsonObject(item) && textAt(item, "role") ? item : wrapped(item)
  const type = textAt(given, "type") ?? "message"
  const id = textAt(given, "id") ?? (ID_PREFIXES[type] ?? OTHER_PREFIX) + mark()
  if (type !== "message") return { ...given, type, id }
  const { content } = given
  const parts =
    typeof content === "string"
      ? [{ type: given.role === "assistant" ? "output_text" : "input_text", text: content }]
      : (content ?? [])
  return { status: "completed", ...given, type, id, content: parts }
}

/** Wraps a string, or content without a message around it, in a user message. */
function wrapped(item: JsonValue): JsonObject {
  if (typeof item === "string") return { role: "user", content: item }
  if (!isJsonObject(item)) return { role: "user", content: [item] }
  const type = textAt(item, "type")
  const isContent = type !== undefined && type.startsWith("input_")
  return isContent ? { role: "user", content: [item] } : item
}
