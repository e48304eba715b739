import { isJsonObject, type JsonObject, type JsonValue } from "../canon/json.ts"
import type { MediaExtent, MediaSource } from "../canon/message.ts"
import { secondsTokens } from "./audio-tokens.ts"
import { tokensOfSize } from "./image-rules.ts"
import { imageSize } from "./image-size.ts"
import { UNBOUNDED_SIZE, imageTokenBound } from "./image-tokens.ts"
import { latin1, type Peek, peek } from "./peek.ts"

/** The assumed size in pixels of a page that is read as an image. */
const PAGE_IMAGE = { width: 1_700, height: 2_200 } as const

/**
 * Maximum tokens of a page for Claude, which reads the text of a page and an image of up to 1,600 tokens ("PDF
 * support").
 */
const CLAUDE_PAGE = 1_700

/** Maximum tokens of a page for Gemini: 258, or 560 since version 3, and 1,120 at a high resolution. */
const GEMINI_PAGE = 1_120

/** Maximum tokens of a video frame for Gemini: 258, or up to 280 since version 3, and some for its timestamp. */
const GEMINI_FRAME = 300
const GEMINI_FRAMES_PER_SECOND = 1
/** The highest frame rate that a request can select (`videoMetadata.fps`). */
const GEMINI_MAX_FRAMES_PER_SECOND = 24

/** Tokens for the name, type and other text that a vendor adds to a file. */
const WRAPPING = 64

/** Maximum growth of an unmeasured text by normalization: U+FDFA grows from 3 bytes to 33. */
const MAX_GROWTH = 11

/**
 * Returns the maximum input tokens of a file.
 * @param model the model's id or name.
 * @param fields further members of the vendor's own format.
 * @returns Infinity if the file is linked, or if its pages or its duration cannot be determined.
 */
export function fileTokenBound(source: MediaSource, model: string, fields?: JsonObject): number {
  const file = peek(source)
  if (!file || source.type === "reference") return Infinity
  const { extent } = source
  if (extent?.pages !== undefined) return WRAPPING + pageTokens(extent, model)
  if (extent?.seconds !== undefined) return WRAPPING + playedTokens(extent, model, fields)
  const image = imageSize(file.head)
  if (image || file.mediaType.startsWith("image/")) {
    return WRAPPING + tokensOfSize(image ?? UNBOUNDED_SIZE, "auto", model)
  }
  if (!isText(file)) return Infinity
  return WRAPPING + Math.max(file.size, extent?.textBytes ?? file.size * MAX_GROWTH)
}

function pageTokens({ pages = 0, textBytes = 0 }: MediaExtent, model: string): number {
  const id = model.toLowerCase()
  if (id.includes("gemini")) return pages * GEMINI_PAGE
  const page = id.includes("claude") ? CLAUDE_PAGE : tokensOfSize(PAGE_IMAGE, "high", model)
  // Each token of text has at least one byte.
  return pages * page + textBytes
}

function playedTokens(
  { seconds = 0, hasVideo = false }: MediaExtent,
  model: string,
  fields: JsonObject | undefined,
): number {
  const sound = secondsTokens(seconds)
  if (!hasVideo) return sound
  if (!model.toLowerCase().includes("gemini")) return Infinity
  const frames = Math.ceil(seconds * framesPerSecond(fields)) + 1
  return sound + frames * GEMINI_FRAME
}

function framesPerSecond(fields: JsonObject | undefined): number {
  const settings = fields?.["videoMetadata"] ?? fields?.["video_metadata"]
  const rate = isJsonObject(settings) ? settings["fps"] : undefined
  if (rate === undefined || rate === null) return GEMINI_FRAMES_PER_SECOND
  if (typeof rate !== "number") return GEMINI_MAX_FRAMES_PER_SECOND
  return Math.min(GEMINI_MAX_FRAMES_PER_SECOND, Math.max(GEMINI_FRAMES_PER_SECOND, rate))
}

/** Prefixes of compressed files and of audio and video, which may have more tokens than bytes. */
const PACKED = [
  "PK",
  "\x1f\x8b",
  "\xd0\xcf\x11\xe0",
  "RIFF",
  "ID3",
  "OggS",
  "fLaC",
  "\x1aE\xdf\xa3",
  "FORM",
  "FLV",
]

/**
 * Reports whether a file is text. Vendors read unknown types as text, so a file is only excluded by a known type or
 * content.
 */
function isText({ head, mediaType }: Peek): boolean {
  if (
    /pdf|^(audio|video)\/|zip|officedocument|opendocument|msword|ms-excel|ms-powerpoint/.test(
      mediaType,
    )
  ) {
    return false
  }
  const start = latin1(head.subarray(0, 1_024))
  if (start.includes("%PDF-") || start.slice(4, 8) === "ftyp") return false
  return !PACKED.some((mark) => start.startsWith(mark))
}

/** Members that link to content for the model to read. `url` is not included, because it may be just a citation. */
const LINKS: ReadonlySet<string> = new Set([
  "image_url",
  "document_url",
  "file_url",
  "pdf_url",
  "video_url",
  "audio_url",
  "input_video",
])

/**
 * Returns the maximum input tokens of content in a vendor's own format, in addition to one token per byte. It may
 * contain images, documents and videos of any length, linked or as data.
 * @param model the model's id or name.
 * @returns Infinity for documents and videos.
 */
export function linkedTokenBound(content: JsonValue | undefined, model: string): number {
  if (Array.isArray(content)) {
    return content.reduce<number>((sum, inner) => sum + linkedTokenBound(inner, model), 0)
  }
  if (!isJsonObject(content)) return 0
  let tokens = 0
  for (const [name, member] of Object.entries(content)) {
    const address = isJsonObject(member) ? (member.url ?? member["data"]) : member
    if (!LINKS.has(name) || typeof address !== "string") tokens += linkedTokenBound(member, model)
    else tokens += boundOfLink(name, address, model)
  }
  return tokens
}

/**
 * Returns the maximum tokens of a link. Only images have a maximum, because documents and videos in unknown content are
 * not measured.
 */
function boundOfLink(name: string, url: string, model: string): number {
  return name === "image_url" ? imageTokenBound({ type: "url", url }, undefined, model) : Infinity
}
