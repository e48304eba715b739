import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import { decodeImage, encodeImages } from "../media.ts"
import type { ImagePart, ReasoningPart, TextPart } from "../../../canon/message.ts"

type ContentPart = TextPart | ReasoningPart | ImagePart

/**
 * Decodes the content of a response, which is usually text. Mistral's thinking models send a list of `{type:
 * "thinking", thinking: [{text}]}` and `{type: "text", text}` instead (docs/contribute/wire/openai-chat.md#f20).
 */
export function decodeContentParts(content: JsonValue | undefined): ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  // Cloudflare Workers AI sends a structured response as an object instead of its JSON text.
  if (isJsonObject(content)) return [{ type: "text", text: JSON.stringify(content) }]
  if (!Array.isArray(content)) return []
  const parts: ContentPart[] = []
  for (const part of content) {
    if (!isJsonObject(part)) continue
    const image = part.type === "image_url" ? decodeImage(part) : undefined
    if (image !== undefined) parts.push(image)
    const isThinking = part.type === "thinking"
    const text = isThinking ? thinkingText(part) : part.text
    if (typeof text !== "string" || text === "") continue
    parts.push({ type: isThinking ? "reasoning" : "text", text })
  }
  return parts
}

/**
 * Converts the content of a message or delta from a list or an object to plain text and reasoning, which every client
 * of this dialect can read. Other members are kept.
 */
export function flattenContent(message: JsonObject): JsonObject {
  let text = ""
  let reasoning = ""
  const images: ImagePart[] = []
  for (const part of decodeContentParts(message.content)) {
    if (part.type === "text") text += part.text
    else if (part.type === "image") images.push(part)
    else reasoning += part.text
  }
  return {
    ...message,
    content: text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(images.length > 0 && { images: encodeImages(images) }),
  }
}

function thinkingText(part: JsonObject): string | undefined {
  const { thinking } = part
  if (typeof thinking === "string") return thinking
  if (!Array.isArray(thinking)) return undefined
  let text = ""
  for (const chunk of thinking) {
    if (isJsonObject(chunk) && typeof chunk.text === "string") text += chunk.text
  }
  return text
}
