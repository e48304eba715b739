import type { MediaSource } from "./message.ts"

/** The separator between the type and the data of a data URL. */
const BASE64_MARK = ";base64,"

/** Number of characters checked at each end of base64 data. The vendor validates the rest. */
const CHECKED_ENDS = 64

const BASE64_ALPHABET = /^[A-Za-z0-9+/_-]*={0,2}$/

/** The base64 characters at the start of each image type, to detect the type of images sent without one. */
const IMAGE_STARTS: readonly (readonly [string, string])[] = [
  ["iVBOR", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lG", "image/gif"],
  ["UklG", "image/webp"],
]

/** Splits a data URL into its parts. Returns undefined if it is not a data URL with base64. */
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

/** Builds a data URL from base64 data. */
export function encodeDataUrl(data: string, mediaType: string): string {
  return `data:${mediaType}${BASE64_MARK}${data}`
}

/** Reports whether a text is an HTTP URL. */
export function isWebUrl(url: string): boolean {
  const start = url.slice(0, 8).toLowerCase()
  return start === "https://" || start.startsWith("http://")
}

/** Reports whether a text starts like a data URL. */
export function isDataUrl(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === "data:"
}

/** Detects the type of an image by its first bytes; undefined if the type is unknown. */
export function knownImageType(data: string): string | undefined {
  return IMAGE_STARTS.find(([start]) => data.startsWith(start))?.[1]
}

/** Returns the type of an image that was sent without a type; PNG if the type is unknown. */
export function imageType(data: string): string {
  return knownImageType(data) ?? "image/png"
}

function hasBase64Ends(data: string): boolean {
  if (data.length <= 2 * CHECKED_ENDS) return BASE64_ALPHABET.test(data)
  const start = data.slice(0, CHECKED_ENDS)
  return !start.includes("=") && BASE64_ALPHABET.test(start + data.slice(-CHECKED_ENDS))
}
