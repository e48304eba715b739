import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../../canon/json.ts"

/** Types of call outputs, for each form of tools. */
const OUTPUTS: ReadonlySet<JsonValue | undefined> = new Set([
  "function_call_output",
  "custom_tool_call_output",
])

/**
 * Converts outputs that name no call to user messages, since no vendor accepts such outputs. Codex stores such outputs
 * for its own tools, and sends them with every later request.
 */
export function withUnlinkedOutputs(body: JsonObject): JsonObject {
  const { input } = body
  if (!Array.isArray(input) || !input.some(isUnlinked)) return body
  return { ...body, input: input.map((item) => (isUnlinked(item) ? messageOf(item) : item)) }
}

function isUnlinked(item: JsonValue): item is JsonObject {
  if (!isJsonObject(item) || !OUTPUTS.has(item.type)) return false
  const { call_id: id } = item
  return id === undefined || id === null || id === ""
}

/** Returns a message, which is never longer than the item for which credits are held. */
function messageOf(item: JsonObject): JsonObject {
  const { output } = item
  const heading = `Output of ${textAt(item, "name") ?? "a tool"}:`
  if (Array.isArray(output)) {
    return { role: "user", content: [{ type: "input_text", text: heading }, ...output] }
  }
  const text = typeof output === "string" ? output : JSON.stringify(output ?? null)
  return { role: "user", content: `${heading} ${text}` }
}
