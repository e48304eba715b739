import type { Writable } from "../../../canon/writable.ts"
import { type Extra, extraOf } from "../../../canon/extra.ts"
import {
  invalidType,
  invalidValue,
  missingParameter,
  unsupportedValue,
} from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  shown,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import { isWebUrl } from "../../../canon/media-source.ts"
import type {
  AudioPart,
  FilePart,
  ImagePart,
  MediaSource,
  Part,
  TextPart,
  ToolResultPart,
} from "../../../canon/message.ts"
import { decodeFileData, decodeImageUrl } from "../../shared/media.ts"
import { requiredText, wrongMember } from "../../shared/validation.ts"
import { decodeAnnotation } from "../citations.ts"
import { DIALECT } from "../identifiers.ts"
import { isContentType } from "./item-types.ts"

/** The types of content that OpenAI accepts, in the order of OpenAI's error message. */
const PART_TYPES = [
  "input_text",
  "input_image",
  "output_text",
  "refusal",
  "input_file",
  "input_audio",
] as const

/** The types of content in the output of a tool. */
const OUTPUT_TYPES = ["input_text", "input_image", "input_file"] as const

const TEXT_FIELDS = new Set(["type", "text", "annotations", "logprobs", "prompt_cache_breakpoint"])
const IMAGE_FIELDS = new Set(["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"])
const FILE_FIELDS = new Set([
  "type",
  "file_id",
  "file_url",
  "file_data",
  "filename",
  "prompt_cache_breakpoint",
])
const AUDIO_FIELDS = new Set(["type", "input_audio"])

/** Decodes the content of a message, which is a string or a list of parts. Empty text is dropped. */
export function decodeContent(content: JsonValue, name: string): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }]
  if (!Array.isArray(content))
    throw invalidType(name, "one of a string or array of objects", content)
  return content.map((part, index) => decodePart(part, `${name}[${index}]`))
}

/** Decodes the output of a tool, which is a string or a list of text, images and files. */
export function decodeOutput(
  output: JsonValue | undefined,
  name: string,
): ToolResultPart["content"] {
  if (output === undefined) throw missingParameter(name)
  const content: ToolResultPart["content"][number][] = []
  for (const [index, part] of decodeContent(output, name).entries()) {
    if (part.type === "text" || part.type === "image" || part.type === "file") content.push(part)
    else throw unsupportedValue(`${name}[${index}].type`, typeAt(output, index), OUTPUT_TYPES)
  }
  return content
}

function typeAt(output: JsonValue, index: number): string {
  const part = Array.isArray(output) ? output[index] : undefined
  return isJsonObject(part) ? shown(part.type) : ""
}

function decodePart(part: JsonValue, name: string): Part {
  if (!isJsonObject(part)) throw invalidType(name, "an object", part)
  const { type } = part
  switch (type) {
    case "input_text":
    case "output_text":
      return decodeText(part, name)
    case "input_image":
      return decodeImage(part, name)
    case "input_file":
      return decodeFile(part, name)
    case "input_audio":
      return decodeAudio(part, name)
    case "output_audio":
      return decodeSpoken(part)
    case "refusal":
      return { type: "refusal", text: requiredText(part, "refusal", name) }
    default:
  }
  if (type === undefined) throw missingParameter(`${name}.type`)
  if (typeof type !== "string") throw invalidType(`${name}.type`, "a string", type)
  if (!isContentType(type)) throw unsupportedValue(`${name}.type`, type, PART_TYPES)
  return { type: "unknown", extra: extraOf(DIALECT, { [type]: part }) }
}

function decodeText(part: JsonObject, name: string): TextPart {
  const decoded: Writable<TextPart> = { type: "text", text: requiredText(part, "text", name) }
  const citations = listAt(part, "annotations").filter(isJsonObject)
  if (citations.length > 0) decoded.citations = citations.map((each) => decodeAnnotation(each))
  if (hasBreakpoint(part)) decoded.cache = {}
  return withRest(decoded, part, TEXT_FIELDS)
}

function decodeImage(part: JsonObject, name: string): ImagePart {
  const decoded: Writable<ImagePart> = { type: "image", source: imageSource(part, name) }
  const detail = textAt(part, "detail")
  if (detail !== undefined) decoded.detail = detail
  if (hasBreakpoint(part)) decoded.cache = {}
  return withRest(decoded, part, IMAGE_FIELDS)
}

function imageSource(part: JsonObject, name: string): MediaSource {
  const id = textAt(part, "file_id")
  if (id !== undefined) return { type: "reference", id }
  return decodeImageUrl(requiredText(part, "image_url", name), `${name}.image_url`)
}

function decodeFile(part: JsonObject, name: string): FilePart {
  const decoded: Writable<FilePart> = { type: "file", source: fileSource(part, name) }
  const filename = textAt(part, "filename")
  if (filename !== undefined) decoded.name = filename
  if (hasBreakpoint(part)) decoded.cache = {}
  return withRest(decoded, part, FILE_FIELDS)
}

function fileSource(part: JsonObject, name: string): MediaSource {
  const id = textAt(part, "file_id")
  if (id !== undefined) return { type: "reference", id }
  const url = textAt(part, "file_url")
  if (url !== undefined) {
    if (isWebUrl(url)) return { type: "url", url }
    const field = `${name}.file_url`
    throw invalidValue(field, `Invalid value for '${field}': expected an http or https address.`)
  }
  return decodeFileData(requiredText(part, "file_data", name), `${name}.file_data`)
}

function decodeAudio(part: JsonObject, name: string): AudioPart {
  const audio = objectAt(part, "input_audio")
  if (audio === undefined) throw wrongMember(part.input_audio, `${name}.input_audio`, "an object")
  const data = requiredText(audio, "data", `${name}.input_audio`)
  const format = requiredText(audio, "format", `${name}.input_audio`)
  const source = { type: "base64", data } as const
  const decoded: Writable<AudioPart> = { type: "audio", source, format }
  return withRest(decoded, part, AUDIO_FIELDS)
}

/** Decodes audio of an earlier response. */
function decodeSpoken(part: JsonObject): AudioPart {
  const transcript = textAt(part, "transcript")
  return {
    type: "audio",
    source: { type: "base64", data: textAt(part, "data") ?? "" },
    ...(transcript !== undefined && { transcript }),
  }
}

/** Adds the members that the canon lacks. */
function withRest<Rich extends { extra?: Extra }>(
  decoded: Rich,
  part: JsonObject,
  known: ReadonlySet<string>,
): Rich {
  const rest = unknownFields(part, known)
  if (rest !== undefined) decoded.extra = extraOf(DIALECT, rest)
  return decoded
}

/** Whether the prompt should be cached up to this part. */
function hasBreakpoint(part: JsonObject): boolean {
  return objectAt(part, "prompt_cache_breakpoint") !== undefined
}
