import { isDefined, isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"

const TEXT_TYPES: ReadonlySet<JsonValue | undefined> = new Set([undefined, null, "text"])

/**
 * Converts an item of a response to OpenAI's form. Some servers leave out the type of a message, or send its content as
 * a string or as parts of another type.
 * @returns the same item if it has OpenAI's form.
 */
export function ownItem(item: JsonObject): JsonObject {
  const { type, content } = item
  const isMessage = type === "message" || (!isDefined(type) && isDefined(content))
  if (!isMessage) return item
  const parts = Array.isArray(content) ? content : isDefined(content) ? [content] : []
  const own = parts.map(ownPart)
  const isSame =
    type === "message" &&
    item.role === "assistant" &&
    Array.isArray(content) &&
    own.every((part, index) => part === content[index])
  return isSame ? item : { ...item, type: "message", role: "assistant", content: own }
}

function ownPart(part: JsonValue): JsonValue {
  if (typeof part === "string") return { type: "output_text", text: part, annotations: [] }
  if (!isJsonObject(part) || typeof part.text !== "string" || !TEXT_TYPES.has(part.type)) {
    return part
  }
  return { annotations: [], ...part, type: "output_text" }
}
