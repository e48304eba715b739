import type { Writable } from "../../canon/writable.ts"
import { extraOf } from "../../canon/extra.ts"
import { invalidValue, missingParameter, unsupportedValue } from "../../canon/invalid-request.ts"
import { isJsonObject, type JsonObject, textAt, unknownFields } from "../../canon/json.ts"
import { decodeDataUrl, encodeDataUrl, isWebUrl, imageType } from "../../canon/media-source.ts"
import type { FilePart, ImagePart, MediaSource, UnknownPart } from "../../canon/message.ts"
import { decodeCache, encodeCache } from "./cache.ts"
import { DIALECT } from "./identifiers.ts"
import { nameOf, type BlockPosition, wrongMember } from "./messages/block-position.ts"
import type { LossList } from "../shared/losses.ts"

const IMAGE_FIELDS = new Set(["type", "source", "cache_control"])
const DOCUMENT_FIELDS = new Set(["type", "source", "title", "cache_control"])

const IMAGE_SOURCES = ["base64", "url", "file"] as const
const DOCUMENT_SOURCES = ["base64", "text", "content", "url", "file"] as const

const PDF = "application/pdf"
const PLAIN_TEXT = "text/plain"

/** Decodes an image: base64, a link, or a file stored at the vendor. */
export function decodeImage(block: JsonObject, position: BlockPosition): ImagePart {
  const decoded: Writable<ImagePart> = { type: "image", source: imageSource(block, position) }
  const cache = decodeCache(block.cache_control, () => `${nameOf(position)}.`)
  if (cache !== undefined) decoded.cache = cache
  const extra = unknownFields(block, IMAGE_FIELDS)
  if (extra !== undefined) decoded.extra = extraOf(DIALECT, extra)
  return decoded
}

/** Decodes a PDF or a text. A document composed of blocks exists only in this dialect. */
export function decodeDocument(block: JsonObject, position: BlockPosition): FilePart | UnknownPart {
  const source = documentSource(block, position)
  if (source === undefined) return { type: "unknown", extra: extraOf(DIALECT, block) }
  const decoded: Writable<FilePart> = { type: "file", source }
  const title = textAt(block, "title")
  if (title !== undefined) decoded.name = title
  const cache = decodeCache(block.cache_control, () => `${nameOf(position)}.`)
  if (cache !== undefined) decoded.cache = cache
  const extra = unknownFields(block, DOCUMENT_FIELDS)
  if (extra !== undefined) decoded.extra = extraOf(DIALECT, extra)
  return decoded
}

function imageSource(block: JsonObject, position: BlockPosition): MediaSource {
  const source = sourceOf(block, position)
  switch (source.type) {
    case "base64": {
      const mediaType = requiredText(source, "media_type", position)
      if (!mediaType.startsWith("image/")) {
        const name = `${nameOf(position)}.source.media_type`
        throw invalidValue(
          name,
          `Invalid value for '${name}': expected the type of an image (e.g. 'image/png').`,
        )
      }
      return base64Source(source, mediaType, position)
    }
    case "url":
      return urlSource(source, position)
    case "file":
      return { type: "reference", id: requiredText(source, "file_id", position) }
    default:
      throw wrongType(source, IMAGE_SOURCES, position)
  }
}

/**
 * Decodes the source of a document.
 * @returns undefined for a source that the canon cannot represent.
 */
function documentSource(block: JsonObject, position: BlockPosition): MediaSource | undefined {
  const source = sourceOf(block, position)
  switch (source.type) {
    case "base64":
      return base64Source(source, requiredText(source, "media_type", position), position)
    case "text": {
      const text = Buffer.from(requiredText(source, "data", position))
      const data = text.toString("base64")
      return { type: "base64", data, mediaType: PLAIN_TEXT, writtenBytes: text.length }
    }
    case "url":
      return urlSource(source, position)
    case "file":
      return { type: "reference", id: requiredText(source, "file_id", position) }
    case "content":
      return undefined
    default:
      throw wrongType(source, DOCUMENT_SOURCES, position)
  }
}

function sourceOf(block: JsonObject, position: BlockPosition): JsonObject {
  const { source } = block
  if (isJsonObject(source)) return source
  throw wrongMember(source, `${nameOf(position)}.source`, "an object")
}

function base64Source(source: JsonObject, mediaType: string, position: BlockPosition): MediaSource {
  const data = requiredText(source, "data", position)
  const decoded = decodeDataUrl(encodeDataUrl(data, mediaType))
  if (decoded !== undefined) return decoded
  const name = `${nameOf(position)}.source.data`
  throw invalidValue(name, `Invalid value for '${name}': expected base64-encoded data.`)
}

function urlSource(source: JsonObject, position: BlockPosition): MediaSource {
  const url = requiredText(source, "url", position)
  if (isWebUrl(url)) return { type: "url", url }
  const name = `${nameOf(position)}.source.url`
  throw invalidValue(name, `Invalid value for '${name}': expected an http or https address.`)
}

function requiredText(source: JsonObject, key: string, position: BlockPosition): string {
  const value = source[key]
  if (typeof value === "string" && value !== "") return value
  const name = `${nameOf(position)}.source.${key}`
  throw value === "" ? missingParameter(name) : wrongMember(value, name, "a string")
}

function wrongType(source: JsonObject, known: readonly string[], position: BlockPosition): Error {
  const name = `${nameOf(position)}.source.type`
  const { type } = source
  return typeof type === "string"
    ? unsupportedValue(name, type, known)
    : wrongMember(type, name, "a string")
}

/** The prefix of file ids at Anthropic. OpenAI's prefix is `file-`. */
const FILE_ID_PREFIX = "file_"

/** The first characters of a PDF in base64, to detect PDF files that were sent without a type. */
const PDF_START = "JVBERi"

/** Returns an image as a block; undefined, with a loss, for an image that is stored at another vendor. */
export function encodeImage(part: ImagePart, losses: LossList): JsonObject | undefined {
  if (part.detail !== undefined && part.detail !== "auto") losses.add("image.detail")
  const source = encodeImageSource(part.source)
  if (source === undefined) {
    losses.add("image.data")
    return undefined
  }
  const cache = encodeCache(part.cache, losses)
  return { type: "image", source, ...cache, ...losses.fieldsOf(part.extra) }
}

/** Returns a PDF or a text as a block; undefined, with a loss, for any other file. */
export function encodeFile(part: FilePart, losses: LossList): JsonObject | undefined {
  const source = encodeDocumentSource(part.source, losses)
  if (source === undefined) {
    losses.add("file.data")
    return undefined
  }
  const title = part.name === undefined ? {} : { title: part.name }
  const cache = encodeCache(part.cache, losses)
  return { type: "document", source, ...title, ...cache, ...losses.fieldsOf(part.extra) }
}

function encodeImageSource(source: MediaSource): JsonObject | undefined {
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

function encodeDocumentSource(source: MediaSource, losses: LossList): JsonObject | undefined {
  switch (source.type) {
    case "url":
      return { type: "url", url: source.url }
    case "base64":
      return encodeBase64(source.data, source.mediaType, losses)
    case "reference":
      return keptFile(source.id)
  }
}

function encodeBase64(
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
