import type { JsonObject } from "../../../canon/json.ts"
import { imageType } from "../../../canon/media-source.ts"
import type { AudioPart, FilePart, ImagePart, MediaSource } from "../../../canon/message.ts"
import type { LossList } from "../../shared/losses.ts"
import type { DocumentNames } from "./document-names.ts"
import { type Format, formatOf } from "./formats.ts"

/** Encodes an image, if Converse supports its format. Converse accepts no links except to Amazon's storage. */
export function encodeImage(part: ImagePart, losses: LossList): JsonObject | undefined {
  losses.fieldsOf(part.extra)
  if (part.detail !== undefined && part.detail !== "auto") losses.add("image.detail")
  const { source } = part
  const type = source.type === "base64" ? (source.mediaType ?? imageType(source.data)) : undefined
  const format = formatOf(type, nameOf(source))
  const where = encodeSource(source)
  if (where === undefined || format?.block !== "image") {
    losses.add(lossName("image", source))
    return undefined
  }
  return blockOf(format, where)
}

/** Encodes audio, which few models accept. */
export function encodeAudio(part: AudioPart, losses: LossList): JsonObject | undefined {
  losses.fieldsOf(part.extra)
  const { source } = part
  const type = source.type === "base64" ? source.mediaType : undefined
  const format = formatOf(type, part.format === undefined ? nameOf(source) : `.${part.format}`)
  const where = encodeSource(source)
  if (where === undefined || format?.block !== "audio") {
    losses.add("audio")
    return undefined
  }
  return blockOf(format, where)
}

/** Encodes a file according to its type: usually as a document, but also as an image, audio or video. */
export function encodeFile(
  part: FilePart,
  names: DocumentNames,
  losses: LossList,
): JsonObject | undefined {
  losses.fieldsOf(part.extra)
  const { source, name } = part
  const type = source.type === "base64" ? source.mediaType : undefined
  const format = formatOf(type, name ?? nameOf(source))
  const where = encodeSource(source)
  if (where === undefined || format === undefined) {
    losses.add(lossName("file", source))
    return undefined
  }
  if (format.block !== "document") return blockOf(format, where)
  const document = { format: format.word, name: names.next(name), source: where }
  return { document }
}

function blockOf({ block, word }: Format, source: JsonObject): JsonObject {
  return { [block]: { format: word, source } }
}

function encodeSource(source: MediaSource): JsonObject | undefined {
  switch (source.type) {
    case "base64":
      return { bytes: source.data }
    case "reference":
      return source.id.startsWith("s3://") ? { s3Location: { uri: source.id } } : undefined
    case "url":
      return undefined
  }
}

function nameOf(source: MediaSource): string | undefined {
  return source.type === "reference" ? source.id : undefined
}

/** Returns the name of the feature that is lost. A file stored at another vendor has no feature name. */
function lossName(kind: "image" | "file", { type }: MediaSource): string {
  switch (type) {
    case "base64":
      return `${kind}.data`
    case "url":
      return `${kind}.url`
    case "reference":
      return kind
  }
}
