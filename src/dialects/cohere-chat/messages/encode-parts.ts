import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import type { FilePart, ImagePart, Part } from "../../../canon/message.ts"
import type { LossList } from "../../shared/losses.ts"
import { encodeImageUrl } from "../../shared/media.ts"

/** Levels of image detail (Cohere's reference for `/v2/chat`). */
const DETAILS: ReadonlySet<string> = new Set(["auto", "low", "high"])

/** Matches media types of text files. */
const TEXT_TYPE = /^(text\/|application\/(json|xml|yaml|x-yaml)\b)/

/** Returns the content of a message, as a string if it is only text. */
export function encodeContent(parts: readonly Part[], losses: LossList): JsonValue {
  const content: JsonObject[] = []
  for (const part of parts) {
    const encoded = encodePart(part, losses)
    if (encoded !== undefined) content.push(encoded)
  }
  const [only] = content
  if (only === undefined) return ""
  return content.length === 1 && only.type === "text" ? (only.text ?? "") : content
}

/** Returns one part of content; undefined, with a loss, if Cohere has no equivalent. */
export function encodePart(part: Part, losses: LossList): JsonObject | undefined {
  if ("cache" in part && part.cache !== undefined) losses.add("cache_control")
  switch (part.type) {
    case "text":
      if (part.citations !== undefined) losses.add("citations")
      return { type: "text", text: part.text, ...losses.fieldsOf(part.extra) }
    case "refusal":
      losses.add("refusal", "approximated")
      return { type: "text", text: part.text }
    case "image":
      return encodeImage(part, losses)
    case "file":
      return encodeFile(part, losses)
    case "unknown":
      return losses.partOf(part)
    default:
      losses.add(part.type)
      return undefined
  }
}

function encodeImage(part: ImagePart, losses: LossList): JsonObject | undefined {
  const url = encodeImageUrl(part.source)
  if (url === undefined) {
    losses.add("image")
    return undefined
  }
  const image: JsonObject = { url }
  const { detail } = part
  if (detail !== undefined) {
    if (DETAILS.has(detail)) image.detail = detail
    else losses.add("image.detail")
  }
  return { type: "image_url", image_url: image, ...losses.fieldsOf(part.extra) }
}

/** Encodes a text file as text, because Cohere accepts no files. */
function encodeFile(part: FilePart, losses: LossList): JsonObject | undefined {
  const { source, name } = part
  losses.fieldsOf(part.extra)
  if (source.type === "base64" && TEXT_TYPE.test(source.mediaType ?? "")) {
    losses.add("file.data", "approximated")
    const text = Buffer.from(source.data, "base64").toString("utf8")
    return { type: "text", text: name === undefined ? text : `${name}:\n${text}` }
  }
  losses.add(source.type === "base64" ? "file.data" : "file.url")
  return undefined
}
