import type { MediaSource, Part } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { encodeDataUrl, pictureType } from "./media.ts"
import type { LossList } from "./wire.ts"

/** Formats of sound as this dialect names them, by media type. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
])

/** Content of a message: text when it is nothing else, so that the plainest vendor can read it. */
export function encodeContent(parts: readonly Part[], losses: LossList): JsonValue {
  const [only] = parts
  if (only === undefined) return ""
  if (parts.length === 1 && only.type === "text" && only.extra === undefined) return only.text
  const content: JsonValue[] = []
  for (const part of parts) {
    const encoded = encodePart(part, losses)
    if (encoded !== undefined) content.push(encoded)
  }
  return content
}

function encodePart(part: Part, losses: LossList): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...losses.fieldsOf(part.extra) }
    case "refusal":
      return { type: "refusal", refusal: part.text }
    case "image": {
      const url = imageUrl(part.source, losses)
      if (url === undefined) return undefined
      const image = part.detail === undefined ? { url } : { url, detail: part.detail }
      return withExtra({ type: "image_url" }, "image_url", image, losses.fieldsOf(part.extra))
    }
    case "audio": {
      if (part.source.type !== "base64") {
        losses.add("audio")
        return undefined
      }
      const { data, mediaType } = part.source
      const format = part.format ?? AUDIO_FORMATS.get(mediaType ?? "") ?? "wav"
      const audio = { data, format }
      return withExtra({ type: "input_audio" }, "input_audio", audio, losses.fieldsOf(part.extra))
    }
    case "file": {
      const file = fileOf(part.source)
      if (part.name !== undefined) file.filename = part.name
      return withExtra({ type: "file" }, "file", file, losses.fieldsOf(part.extra))
    }
    case "unknown":
      return losses.fieldsOf(part.extra)
    default:
      losses.add(part.type)
      return undefined
  }
}

function imageUrl(source: MediaSource, losses: LossList): string | undefined {
  switch (source.type) {
    case "url":
      return source.url
    case "base64":
      return encodeDataUrl(source.data, source.mediaType ?? pictureType(source.data))
    default:
      // A picture that another vendor keeps under an id of its own.
      losses.add("image")
      return undefined
  }
}

function fileOf(source: MediaSource): JsonObject {
  switch (source.type) {
    case "reference":
      return { file_id: source.id }
    case "url":
      return { file_data: source.url }
    default: {
      const { data, mediaType } = source
      return { file_data: mediaType === undefined ? data : encodeDataUrl(data, mediaType) }
    }
  }
}

/** Puts an extra back where `nestedExtra` of the decoder took it from. */
function withExtra(
  part: JsonObject,
  inner: string,
  object: JsonObject,
  extra: JsonObject | undefined,
): JsonObject {
  const inside = extra?.[inner]
  return { ...part, ...extra, [inner]: isJsonObject(inside) ? { ...object, ...inside } : object }
}
