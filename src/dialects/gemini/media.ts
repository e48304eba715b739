/** Media types by file extension, for files that were sent without a type. */
const TYPES_BY_ENDING: ReadonlyMap<string, string> = new Map([
  ["pdf", "application/pdf"],
  ["json", "application/json"],
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["html", "text/html"],
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["xml", "text/xml"],
  ["rtf", "text/rtf"],
  ["js", "text/javascript"],
  ["py", "text/x-python"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
  ["heic", "image/heic"],
  ["wav", "audio/wav"],
  ["mp3", "audio/mp3"],
  ["flac", "audio/flac"],
  ["ogg", "audio/ogg"],
  ["aac", "audio/aac"],
  ["mp4", "video/mp4"],
  ["mov", "video/quicktime"],
  ["mpeg", "video/mpeg"],
  ["webm", "video/webm"],
])

/** The first base64 characters of a PDF, which starts with `%PDF`. */
const PDF_START = "JVBER"

/** Maximum characters at the end of a name that are searched for its extension. */
const MAX_ENDING_LENGTH = 16

/** Returns the media type by the extension of a name or an address. */
export function typeByName(name: string): string | undefined {
  const end = name.slice(-MAX_ENDING_LENGTH)
  return TYPES_BY_ENDING.get(end.slice(end.lastIndexOf(".") + 1).toLowerCase())
}

/** Returns the media type for a caller's audio format. */
export function audioType(format: string | undefined): string {
  return format === undefined ? "audio/wav" : (typeByName(format) ?? `audio/${format}`)
}

/** Returns the media type of a file by its first bytes: PDF, otherwise text. */
export function typeByStart(data: string): string {
  return data.startsWith(PDF_START) ? "application/pdf" : "text/plain"
}
