import type { JsonObject } from "../../../canon/json.ts"
import { imageType } from "../../../canon/media-source.ts"
import type { FilePart, ImagePart, MediaSource } from "../../../canon/message.ts"
import type { LossList } from "../../shared/losses.ts"
import { encodeCache } from "../cache.ts"
import { PDF, PLAIN_TEXT } from "./decode.ts"

/** The prefix of file ids at Anthropic. OpenAI's prefix is `file-`. */
const FILE_ID_PREFIX = "file_"

/** The first characters of a PDF in base64, to detect PDF files that were sent without a type. */
const PDF_START = "JVBERi"

/** Returns an image as a block; undefined, with a loss, for an image that is stored at another vendor. */
export function encodeImage(part: ImagePart, losses: LossList): JsonObject | undefined {
  if (part.detail !== undefined && part.detail !== "auto") losses.add("image.detail")
  const source = imageSource(part.source)
  if (source === undefined) {
    losses.add("image.data")
    return undefined
  }
  const cache = encodeCache(part.cache, losses)
  return { type: "image", source, ...cache, ...losses.fieldsOf(part.extra) }
}

/** Returns a PDF or a text as a block; undefined, with a loss, for any other file. */
export function encodeFile(part: FilePart, losses: LossList): JsonObject | undefined {
  const source = documentSource(part.source, losses)
  if (source === undefined) {
    losses.add("file.data")
    return undefined
  }
  const title = part.name === undefined ? {} : { title: part.name }
  const cache = encodeCache(part.cache, losses)
  return { type: "document", source, ...title, ...cache, ...losses.fieldsOf(part.extra) }
}

function imageSource(source: MediaSource): JsonObject | undefined {
  switch (source.type) {
    case "url":
      return { type: "url", url: source.url }
    case "base64": {
      const { data, mediaType } = source
      return { type: "base64", media_type: mediaType ?? imageType(data), data }
    }
    case "reference":
      return keptFile(source.id)
  }
}

function documentSource(source: MediaSource, losses: LossList): JsonObject | undefined {
  switch (source.type) {
    case "url":
      return { type: "url", url: source.url }
    case "base64":
      return base64Source(source.data, source.mediaType, losses)
    case "reference":
      return keptFile(source.id)
  }
}

function base64Source(
  data: string,
  mediaType: string | undefined,
  losses: LossList,
): JsonObject | undefined {
  if (mediaType === PDF || (mediaType === undefined && data.startsWith(PDF_START))) {
    return { type: "base64", media_type: PDF, data }
  }
  if (mediaType === undefined || !mediaType.startsWith("text/")) return undefined
  // Text of any type is sent as plain text, so that its exact type is lost.
  if (mediaType !== PLAIN_TEXT) losses.add("file.data", "approximated")
  const text = Buffer.from(data, "base64").toString("utf8")
  return { type: "text", media_type: PLAIN_TEXT, data: text }
}

function keptFile(id: string): JsonObject | undefined {
  return id.startsWith(FILE_ID_PREFIX) ? { type: "file", file_id: id } : undefined
}
