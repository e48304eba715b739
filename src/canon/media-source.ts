import type { MediaSource } from "./message.ts"

/** What is between the type and the data of a data URL. */
const BASE64_MARK = ";base64,"

/** How many characters of either end of base64 data are checked: the vendor reads the rest. */
const CHECKED_ENDS = 64

const BASE64_ALPHABET = /^[A-Za-z0-9+/_-]*={0,2}$/

/** The first characters of images in base64, for those that came without a type. */
const IMAGE_STARTS: readonly (readonly [string, string])[] = [
  ["iVBOR", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lG", "image/gif"],
  ["UklG", "image/webp"],
]

/** A data URL split into its parts, or undefined when it is not one with base64. */
export function decodeDataUrl(url: string): MediaSource | undefined {
  if (!isDataUrl(url)) return undefined
  const comma = url.indexOf(",")
  const head = url.slice(5, comma + 1)
  if (comma < 0 || !head.endsWith(BASE64_MARK)) return undefined
  const data = url.slice(comma + 1)
  if (data === "" || !hasBase64Ends(data)) return undefined
  const end = head.indexOf(";")
  return end === 0
    ? { type: "base64", data }
    : { type: "base64", data, mediaType: head.slice(0, end).toLowerCase() }
}

/** The data URL of base64 data. */
export function encodeDataUrl(data: string, mediaType: string): string {
  return `data:${mediaType}${BASE64_MARK}${data}`
}

/** Whether a text names a web address. */
export function isWebUrl(url: string): boolean {
  const start = url.slice(0, 8).toLowerCase()
  return start === "https://" || start.startsWith("http://")
}

/** Whether a text starts like a data URL. */
export function isDataUrl(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === "data:"
}

/** The type of an image by its first bytes; undefined if they are of no known one. */
export function knownImageType(data: string): string | undefined {
  return IMAGE_STARTS.find(([start]) => data.startsWith(start))?.[1]
}

/** The type of an image that came without one. */
export function imageType(data: string): string {
  return knownImageType(data) ?? "image/png"
}

function hasBase64Ends(data: string): boolean {
  if (data.length <= 2 * CHECKED_ENDS) return BASE64_ALPHABET.test(data)
  const start = data.slice(0, CHECKED_ENDS)
  return !start.includes("=") && BASE64_ALPHABET.test(start + data.slice(-CHECKED_ENDS))
}
