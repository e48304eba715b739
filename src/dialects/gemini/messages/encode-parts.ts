import type { JsonObject } from "../../../canon/json.ts"
import { imageType } from "../../../canon/media-source.ts"
import type { AudioPart, FilePart, ImagePart, MediaSource, Part } from "../../../canon/message.ts"
import { isVendorAddress } from "../../../canon/vendor-state.ts"
import type { LossList } from "../../shared/losses.ts"
import { audioType, typeByName, typeByStart } from "../media.ts"

/** Encodes a part of a message that is neither a call nor a result (docs/contribute/wire/gemini.md#f3). */
export function encodePart(part: Part, losses: LossList): JsonObject | undefined {
  if ("cache" in part && part.cache !== undefined) losses.add("cache_control")
  switch (part.type) {
    case "text":
      if (part.citations !== undefined) losses.add("citations")
      return part.text === "" ? undefined : { text: part.text, ...losses.fieldsOf(part.extra) }
    case "refusal":
      losses.add("refusal", "approximated")
      return { text: part.text }
    case "image":
    case "audio":
    case "file":
      return withExtra(encodeMedia(part, losses), part, losses)
    case "unknown":
      return losses.partOf(part)
    default:
      losses.add(part.type)
      return undefined
  }
}

type MediaPart = ImagePart | AudioPart | FilePart

function withExtra(
  encoded: JsonObject | undefined,
  part: MediaPart,
  losses: LossList,
): JsonObject | undefined {
  const extra = losses.fieldsOf(part.extra)
  return encoded === undefined ? undefined : { ...encoded, ...extra }
}

function encodeMedia(part: MediaPart, losses: LossList): JsonObject | undefined {
  switch (part.type) {
    case "image":
      if (part.detail !== undefined && part.detail !== "auto") losses.add("image.detail")
      return encodeSource(part.source, undefined, imageType, () => losses.add("image.url"))
    case "audio": {
      const type = audioType(part.format)
      return encodeSource(
        part.source,
        type,
        () => type,
        () => losses.add("audio"),
      )
    }
    case "file": {
      const type = part.name === undefined ? undefined : typeByName(part.name)
      return encodeSource(part.source, type, typeByStart, () => losses.add("file.url"))
    }
  }
}

/**
 * Encodes the source of media.
 * @param named the media type that the part states.
 * @param guess returns the type of data without a stated type.
 * @param onLost called for an address that Gemini cannot read.
 */
function encodeSource(
  source: MediaSource,
  named: string | undefined,
  guess: (data: string) => string,
  onLost: () => void,
): JsonObject | undefined {
  switch (source.type) {
    case "base64": {
      const mimeType = source.mediaType ?? named ?? guess(source.data)
      return { inlineData: { mimeType, data: source.data } }
    }
    case "reference":
      return fileData(source.id, named)
    case "url":
      if (isVendorAddress(source.url)) return fileData(source.url, named)
      onLost()
      return undefined
  }
}

/**
 * Encodes a file by its address. The Gemini API stores the type of its own files, but files in cloud storage need a
 * type.
 */
function fileData(fileUri: string, named: string | undefined): JsonObject {
  const mimeType = named ?? typeByName(fileUri)
  return { fileData: mimeType === undefined ? { fileUri } : { mimeType, fileUri } }
}
