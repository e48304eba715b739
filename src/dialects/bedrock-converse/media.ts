import type { JsonObject } from "../../canon/json.ts"
import { imageType } from "../../canon/media-source.ts"
import type { AudioPart, FilePart, ImagePart, MediaSource } from "../../canon/message.ts"
import type { LossList } from "../shared/losses.ts"

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

/** A kind of block, with Converse's name for its format. */
interface Format {
  readonly block: "image" | "audio" | "video" | "document"
  readonly word: string
}

/** Converse's names of formats, by kind of block. */
const WORDS = {
  image: ["png", "jpeg", "gif", "webp"],
  document: ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"],
  audio: ["mp3", "wav", "aac", "flac", "m4a", "mka", "mpga", "ogg", "opus", "pcm"],
  video: ["mp4", "mov", "mkv", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"],
} as const satisfies Record<Format["block"], readonly string[]>

const FORMATS: ReadonlyMap<string, Format> = new Map(
  (Object.keys(WORDS) as Format["block"][]).flatMap((block) =>
    WORDS[block].map((word) => [word, { block, word }]),
  ),
)

/** Converse's names for media types and extensions whose last part is a different name. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "jpeg"],
  ["jpg", "jpeg"],
  ["text/plain", "txt"],
  ["text/markdown", "md"],
  ["text/x-markdown", "md"],
  ["htm", "html"],
  ["application/msword", "doc"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.ms-excel", "xls"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["audio/mpeg", "mp3"],
  ["audio/mp4", "m4a"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
  ["pcm16", "pcm"],
  ["video/quicktime", "mov"],
  ["video/x-matroska", "mkv"],
  ["video/x-flv", "flv"],
  ["video/x-ms-wmv", "wmv"],
  ["video/3gpp", "three_gp"],
  ["3gp", "three_gp"],
])

/**
 * Maximum characters that are read of a media type (RFC 6838: 127 twice, plus parameters) and of the end of a file
 * name.
 */
const MAX_TYPE_LENGTH = 1_024
const MAX_ENDING_LENGTH = 64

/**
 * Returns the format of a file by its media type, or else by its extension; undefined if Converse does not support it.
 */
export function formatOf(
  mediaType: string | undefined,
  name: string | undefined,
): Format | undefined {
  const type = mediaType?.slice(0, MAX_TYPE_LENGTH).split(";", 1)[0]?.trim().toLowerCase()
  return byWord(type, type?.split("/").at(-1)) ?? byWord(undefined, endingOf(name))
}

function byWord(whole: string | undefined, last: string | undefined): Format | undefined {
  const other = OTHER_NAMES.get(whole ?? "") ?? OTHER_NAMES.get(last ?? "")
  return FORMATS.get(other ?? last ?? "")
}

function endingOf(name: string | undefined): string | undefined {
  return name
    ?.slice(-MAX_ENDING_LENGTH)
    .match(/\.(\w+)$/)?.[1]
    ?.toLowerCase()
}

const MAX_LENGTH = 190
/** Maximum characters of a name that are read. It exceeds `MAX_LENGTH`, because some characters are dropped. */
const MAX_READ = MAX_LENGTH + 64

/**
 * Creates unique names for a request's documents in the form that Converse requires: letters, digits, single spaces,
 * hyphens, parentheses and brackets.
 */
export class DocumentNames {
  readonly #used = new Set<string>()
  /** The number of the last document for each name. */
  readonly #counts = new Map<string, number>()

  next(name: string | undefined): string {
    const fitted = fittedName(name)
    let count = this.#counts.get(fitted) ?? 0
    let unique: string
    do {
      count++
      unique = count === 1 ? fitted : `${fitted} (${count})`
    } while (this.#used.has(unique))
    this.#counts.set(fitted, count)
    this.#used.add(unique)
    return unique
  }
}

function fittedName(name = ""): string {
  const withoutEnding = name.slice(0, MAX_READ).replace(/\.\w+$/, "")
  const fitted = withoutEnding
    .replaceAll(/[^a-zA-Z0-9\-()[\]]+/g, " ")
    .trim()
    .slice(0, MAX_LENGTH)
  return fitted === "" ? "document" : fitted
}
