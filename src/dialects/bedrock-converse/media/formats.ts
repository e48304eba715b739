/** A kind of block, with Converse's name for its format. */
export interface Format {
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
