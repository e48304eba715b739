import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { invalidType, invalidValue, missingParameter } from "../../../canon/invalid-request.ts"
import { type JsonObject, objectAt, textAt, unknownFields } from "../../../canon/json.ts"
import { isWebUrl } from "../../../canon/media-source.ts"
import type {
  AudioPart,
  FilePart,
  ImagePart,
  MediaSource,
  Part,
  TextPart,
} from "../../../canon/message.ts"
import { isVendorAddress } from "../../../canon/vendor-state.ts"
import { DIALECT } from "../identifiers.ts"

/** Media that a user or a tool sends. */
export type MediaPart = ImagePart | AudioPart | FilePart

const TEXT_FIELDS = new Set(["text", "thought", "thoughtSignature"])
const MEDIA_FIELDS = new Set(["inlineData", "fileData", "thought", "thoughtSignature"])

/** Names of audio formats that differ from the subtype of their media type. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ["x-wav", "wav"],
  ["wave", "wav"],
  ["mpeg", "mp3"],
  ["x-flac", "flac"],
])

/** Decodes a part that is not a call, a result or a thought. A part that the canon lacks is kept unchanged. */
export function decodePlainPart(part: JsonObject, name: string): Part {
  const { text } = part
  if (typeof text === "string") return decodeText(part, text)
  if (text !== undefined && text !== null) throw invalidType(`${name}.text`, "a string", text)
  return decodeMediaPart(part, name) ?? { type: "unknown", extra: extraOf(DIALECT, part) }
}

function decodeText(part: JsonObject, text: string): TextPart {
  const decoded: Writable<TextPart> = { type: "text", text }
  const extra = unknownFields(part, TEXT_FIELDS)
  if (extra !== undefined) decoded.extra = extraOf(DIALECT, extra)
  return decoded
}

/**
 * Decodes a part with media.
 * @returns undefined for a part that is neither inline data nor a file.
 */
export function decodeMediaPart(part: JsonObject, name: string): MediaPart | undefined {
  const inline = objectAt(part, "inlineData")
  const file = objectAt(part, "fileData")
  if (inline === undefined && file === undefined) return undefined
  const decoded =
    inline === undefined
      ? decodeFile(file ?? {}, `${name}.fileData`)
      : decodeInline(inline, `${name}.inlineData`)
  const extra = unknownFields(part, MEDIA_FIELDS)
  return extra === undefined ? decoded : { ...decoded, extra: extraOf(DIALECT, extra) }
}

function decodeInline(inline: JsonObject, name: string): MediaPart {
  const data = textAt(inline, "data")
  const mediaType = textAt(inline, "mimeType")?.toLowerCase()
  if (data === undefined) throw missingParameter(`${name}.data`)
  if (mediaType === undefined) throw missingParameter(`${name}.mimeType`)
  // Clients may use the URL-safe base64 alphabet. Other vendors support only the standard alphabet.
  const standard = data.includes("-") || data.includes("_") ? standardBase64(data) : data
  return mediaOf({ type: "base64", data: standard, mediaType }, mediaType, inline)
}

function standardBase64(data: string): string {
  return data.replaceAll("-", "+").replaceAll("_", "/")
}

function decodeFile(file: JsonObject, name: string): MediaPart {
  const uri = textAt(file, "fileUri")
  if (uri === undefined) throw missingParameter(`${name}.fileUri`)
  if (uri.startsWith("data:")) {
    throw invalidValue(`${name}.fileUri`, "Send data as 'inlineData', with its type in 'mimeType'.")
  }
  const isAddress = isWebUrl(uri) || isVendorAddress(uri)
  const source: MediaSource = isAddress ? { type: "url", url: uri } : { type: "reference", id: uri }
  return mediaOf(source, textAt(file, "mimeType")?.toLowerCase() ?? "", file)
}

function mediaOf(source: MediaSource, mediaType: string, described: JsonObject): MediaPart {
  if (mediaType.startsWith("image/")) return { type: "image", source }
  if (mediaType.startsWith("audio/")) {
    const [kind = ""] = mediaType.slice("audio/".length).split(";", 1)
    return { type: "audio", source, format: AUDIO_FORMATS.get(kind) ?? kind }
  }
  const title = textAt(described, "displayName")
  return title === undefined ? { type: "file", source } : { type: "file", source, name: title }
}
