import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import { encodeDataUrl, imageType } from "../../../canon/media-source.ts"
import type { FilePart, MediaSource, Part, TextPart, UnknownPart } from "../../../canon/message.ts"
import type { LossList } from "../../shared/losses.ts"

/** The assumed media type of files that were sent without a type. */
const PDF = "application/pdf"

/**
 * Encodes the content of a message from the user or the operator, or of a call's output. It is a string if it is only
 * text, so that every vendor can read it.
 */
export function encodeContent(parts: readonly Part[], losses: LossList): JsonValue {
  const [only] = parts
  if (only === undefined) return ""
  if (parts.length === 1 && only.type === "text" && only.extra === undefined) {
    noteCache(only, losses)
    return only.text
  }
  const content = parts.map((part) => encodePart(part, losses)).filter((part) => part !== undefined)
  return content.length === 0 ? "" : content
}

/** Reports the cache marker of a part as a loss. */
export function noteCache(part: { readonly cache?: unknown }, losses: LossList): void {
  if (part.cache !== undefined) losses.add("cache_control")
}

function encodePart(part: Part, losses: LossList): JsonObject | undefined {
  switch (part.type) {
    case "text":
      noteCache(part, losses)
      return { type: "input_text", text: part.text, ...losses.fieldsOf(part.extra) }
    case "image":
      noteCache(part, losses)
      return {
        type: "input_image",
        ...imageOf(part.source),
        detail: part.detail ?? "auto",
        ...losses.fieldsOf(part.extra),
      }
    case "file":
      noteCache(part, losses)
      return { type: "input_file", ...fileOf(part), ...losses.fieldsOf(part.extra) }
    case "unknown":
      return contentOf(part, losses)
    default:
      losses.add(part.type)
      return undefined
  }
}

/** Returns content of this dialect that was kept unchanged, under the name of its type. */
function contentOf(part: UnknownPart, losses: LossList): JsonObject | undefined {
  const [kept] = Object.values(losses.partOf(part) ?? {})
  return kept as JsonObject | undefined
}

function imageOf(source: MediaSource): JsonObject {
  switch (source.type) {
    case "reference":
      return { file_id: source.id }
    case "url":
      return { image_url: source.url }
    case "base64": {
      const { data, mediaType } = source
      return { image_url: encodeDataUrl(data, mediaType ?? imageType(data)) }
    }
  }
}

function fileOf({ source, name }: FilePart): JsonObject {
  const named = name === undefined ? {} : { filename: name }
  switch (source.type) {
    case "reference":
      return { file_id: source.id, ...named }
    case "url":
      return { file_url: source.url, ...named }
    case "base64": {
      const mediaType = source.mediaType ?? PDF
      // OpenAI rejects data without a file name, and derives the type of the file from the name.
      const filename = name ?? (mediaType === PDF ? "file.pdf" : "file")
      return { filename, file_data: encodeDataUrl(source.data, mediaType) }
    }
  }
}

/** Whether a message is only text, so that it can be sent as instructions. */
export function isPlainText(parts: readonly Part[]): parts is readonly TextPart[] {
  return parts.every((part) => part.type === "text" && part.extra === undefined)
}

/** Returns items of this dialect that were kept unchanged, each under the name of its type. */
export function itemsOf(part: UnknownPart, losses: LossList): JsonObject[] {
  return Object.values(losses.partOf(part) ?? {}) as JsonObject[]
}
