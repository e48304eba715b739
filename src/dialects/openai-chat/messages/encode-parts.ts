import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import { encodeDataUrl } from "../../../canon/media-source.ts"
import type { MediaSource, Part } from "../../../canon/message.ts"
import type { LossList } from "../../shared/losses.ts"
import { encodeImageUrl } from "../../shared/media.ts"
import { encodeCache } from "../cache.ts"
import { withNestedExtra } from "./nested-extra.ts"
import type { OpenAiChatQuirks } from "../quirks/index.ts"

/** The audio formats of this dialect, by media type. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
])

const PDF = "application/pdf"

/** Encodes the content of a message. It is a string if it is only text, so that every vendor can read it. */
export function encodeContent(
  parts: readonly Part[],
  quirks: OpenAiChatQuirks,
  losses: LossList,
): JsonValue {
  const content: JsonObject[] = []
  for (const part of parts) {
    const encoded = encodePart(part, quirks, losses)
    if (encoded !== undefined) content.push(encoded)
  }
  const [only] = content
  if (only === undefined) return ""
  const isPlain = content.length === 1 && only.type === "text" && Object.keys(only).length === 2
  return isPlain ? (only.text ?? "") : content
}

function encodePart(
  part: Part,
  quirks: OpenAiChatQuirks,
  losses: LossList,
): JsonObject | undefined {
  switch (part.type) {
    case "text": {
      if (part.citations !== undefined) losses.add("citations")
      const marks = { ...losses.fieldsOf(part.extra), ...encodeCache(part.cache, quirks, losses) }
      return { type: "text", text: part.text, ...marks }
    }
    case "refusal":
      return { type: "refusal", refusal: part.text }
    case "image": {
      const url = encodeImageUrl(part.source)
      if (url === undefined) {
        losses.add("image")
        return undefined
      }
      const image = part.detail === undefined ? { url } : { url, detail: part.detail }
      const outer = { type: "image_url", ...encodeCache(part.cache, quirks, losses) }
      return withNestedExtra(outer, "image_url", image, losses.fieldsOf(part.extra))
    }
    case "audio": {
      if (part.source.type !== "base64") {
        losses.add("audio")
        return undefined
      }
      const { data, mediaType } = part.source
      const format = part.format ?? AUDIO_FORMATS.get(mediaType ?? "") ?? "wav"
      const outer = { type: "input_audio" }
      const fields = losses.fieldsOf(part.extra)
      return withNestedExtra(outer, "input_audio", { data, format }, fields)
    }
    case "file": {
      const file = fileOf(part.source, quirks, losses)
      if (file === undefined) return undefined
      const name = part.name ?? nameOf(part.source)
      if (name !== undefined) file.filename = name
      const outer = { type: "file", ...encodeCache(part.cache, quirks, losses) }
      return withNestedExtra(outer, "file", file, losses.fieldsOf(part.extra))
    }
    case "unknown":
      return losses.partOf(part)
    default:
      losses.add(part.type)
      return undefined
  }
}

/**
 * Returns a file name for data without one, because OpenAI requires a name and derives the type of the file from it.
 */
function nameOf(source: MediaSource): string | undefined {
  if (source.type !== "base64") return undefined
  return source.mediaType === PDF ? "file.pdf" : "file"
}

function fileOf(
  source: MediaSource,
  quirks: OpenAiChatQuirks,
  losses: LossList,
): JsonObject | undefined {
  switch (source.type) {
    case "reference":
      return { file_id: source.id }
    case "url":
      if (quirks.fileUrls) return { file_data: source.url }
      losses.add("file.url")
      return undefined
    default: {
      const { data, mediaType } = source
      return { file_data: mediaType === undefined ? data : encodeDataUrl(data, mediaType) }
    }
  }
}
