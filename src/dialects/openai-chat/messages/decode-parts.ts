import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { invalidType, missingParameter, unsupportedValue } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import { isWebUrl } from "../../../canon/media-source.ts"
import type {
  AudioPart,
  FilePart,
  ImagePart,
  Part,
  TextPart,
  ToolResultPart,
} from "../../../canon/message.ts"
import { decodeFileData, decodeImageUrl } from "../../shared/media.ts"
import { requiredText, wrongMember } from "../../shared/validation.ts"
import { takeCache } from "../cache.ts"
import { DIALECT } from "../identifiers.ts"
import { nestedExtra } from "./nested-extra.ts"

/** The types of content parts that OpenAI accepts, in the order of OpenAI's error message. */
const PART_TYPES = ["text", "image_url", "input_audio", "refusal", "audio", "file"] as const

/**
 * Types that only some vendors accept (Mistral, Perplexity, OpenRouter). Parts of these types are kept unchanged for
 * these vendors.
 */
const VENDOR_PART_TYPES: ReadonlySet<string> = new Set([
  "document_url",
  "file_url",
  "video_url",
  "pdf_url",
  "input_video",
  "reference",
  "thinking",
])

/** Whether a type is the type of a content part, not of a call. */
export function isContentType(type: string): boolean {
  return VENDOR_PART_TYPES.has(type) || PART_TYPES.some((known) => known === type)
}

const TEXT_FIELDS = new Set(["type", "text"])
const IMAGE_FIELDS = new Set(["type", "image_url"])
const IMAGE_URL_FIELDS = new Set(["url", "detail"])
const AUDIO_FIELDS = new Set(["type", "input_audio"])
const INPUT_AUDIO_FIELDS = new Set(["data", "format"])
const FILE_FIELDS = new Set(["type", "file"])
const INNER_FILE_FIELDS = new Set(["file_data", "file_id", "filename"])

/** The position of a content part. It is formatted only if an error names it. */
interface PartPosition {
  readonly message: number
  readonly part: number
}

/** Decodes the content of a message, which is a string or a list of parts. Empty text is dropped. */
export function decodeContent(content: JsonValue | undefined, message: number): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  if (content === undefined) throw missingParameter(`messages[${message}].content`)
  if (!Array.isArray(content)) {
    const words = "one of a string or array of objects"
    throw invalidType(`messages[${message}].content`, words, content)
  }
  const parts: Part[] = []
  for (let part = 0; part < content.length; part++) {
    parts.push(decodePart(content[part], { message, part }))
  }
  return parts
}

/** Whether the result of a tool may contain a part. */
export function isToolContent(part: Part | undefined): part is ToolResultPart["content"][number] {
  switch (part?.type) {
    case "text":
    case "image":
    case "audio":
    case "file":
      return true
    default:
      return false
  }
}

function decodePart(part: JsonValue | undefined, position: PartPosition): Part {
  if (!isJsonObject(part)) throw invalidType(nameOf(position), "an object", part)
  const { type } = part
  switch (type) {
    case "text":
      return decodeText(part, position)
    case "image_url":
      return decodeImage(part, position)
    case "input_audio":
      return decodeAudio(part, position)
    case "file":
      return decodeFile(part, position)
    case "refusal":
      return { type: "refusal", text: requiredRefusal(part, position) }
    case "audio":
      return { type: "unknown", extra: extraOf(DIALECT, part) }
    default:
  }
  if (type === undefined) throw missingParameter(`${nameOf(position)}.type`)
  if (typeof type !== "string") throw invalidType(`${nameOf(position)}.type`, "a string", type)
  if (!VENDOR_PART_TYPES.has(type)) {
    throw unsupportedValue(`${nameOf(position)}.type`, type, PART_TYPES)
  }
  return { type: "unknown", extra: extraOf(DIALECT, part) }
}

function decodeText(part: JsonObject, position: PartPosition): TextPart {
  const { text } = part
  if (typeof text !== "string") throw wrongMember(text, `${nameOf(position)}.text`, "a string")
  const decoded: Writable<TextPart> = { type: "text", text }
  setMarks(decoded, unknownFields(part, TEXT_FIELDS))
  return decoded
}

function decodeImage(part: JsonObject, position: PartPosition): ImagePart {
  const image = part.image_url
  // Mistral accepts the URL itself in place of an object.
  const name = `${nameOf(position)}.image_url`
  if (typeof image === "string") {
    return { type: "image", source: decodeImageUrl(image, `${name}.url`) }
  }
  if (!isJsonObject(image)) throw wrongMember(image, name, "an object")
  const source = decodeImageUrl(requiredText(image, "url", name), `${name}.url`)
  const decoded: Writable<ImagePart> = { type: "image", source }
  const detail = textAt(image, "detail")
  if (detail !== undefined) decoded.detail = detail
  setMarks(decoded, nestedExtra(part, IMAGE_FIELDS, "image_url", IMAGE_URL_FIELDS))
  return decoded
}

function decodeAudio(part: JsonObject, position: PartPosition): AudioPart {
  const audio = part.input_audio
  const name = `${nameOf(position)}.input_audio`
  if (!isJsonObject(audio)) throw wrongMember(audio, name, "an object")
  const data = requiredText(audio, "data", name)
  const format = requiredText(audio, "format", name)
  const decoded: Writable<AudioPart> = { type: "audio", source: { type: "base64", data }, format }
  const extra = nestedExtra(part, AUDIO_FIELDS, "input_audio", INPUT_AUDIO_FIELDS)
  if (extra !== undefined) decoded.extra = extraOf(DIALECT, extra)
  return decoded
}

function decodeFile(part: JsonObject, position: PartPosition): FilePart {
  const file = part.file
  if (!isJsonObject(file)) throw wrongMember(file, `${nameOf(position)}.file`, "an object")
  const decoded: Writable<FilePart> = { type: "file", source: fileSource(file, position) }
  const name = textAt(file, "filename")
  if (name !== undefined) decoded.name = name
  setMarks(decoded, nestedExtra(part, FILE_FIELDS, "file", INNER_FILE_FIELDS))
  return decoded
}

function fileSource(file: JsonObject, position: PartPosition): FilePart["source"] {
  const id = textAt(file, "file_id")
  if (id !== undefined) return { type: "reference", id }
  const name = `${nameOf(position)}.file`
  const data = requiredText(file, "file_data", name)
  return isWebUrl(data) ? { type: "url", url: data } : decodeFileData(data, `${name}.file_data`)
}

/** Sets the cache marker of a part, and its members that the canon lacks. */
function setMarks(
  decoded: Writable<TextPart | ImagePart | FilePart>,
  unknown: JsonObject | undefined,
): void {
  const { cache, extra } = takeCache(unknown)
  if (cache !== undefined) decoded.cache = cache
  if (extra !== undefined) decoded.extra = extraOf(DIALECT, extra)
}

/** Returns the text of a refusal, which must not be empty, as at OpenAI. */
function requiredRefusal({ refusal }: JsonObject, position: PartPosition): string {
  if (typeof refusal === "string" && refusal !== "") return refusal
  const value = refusal === "" ? undefined : refusal
  throw wrongMember(value, `${nameOf(position)}.refusal`, "a string")
}

function nameOf(position: PartPosition): string {
  return `messages[${position.message}].content[${position.part}]`
}
