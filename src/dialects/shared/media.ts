import { invalidValue } from "../../canon/invalid-request.ts"
import {
  decodeDataUrl,
  encodeDataUrl,
  isDataUrl,
  isWebUrl,
  imageType,
} from "../../canon/media-source.ts"
import type { MediaSource } from "../../canon/message.ts"

/**
 * Decodes the address of an image in OpenAI's dialects, which is a link or a data URL.
 * @param name the name of the parameter, for errors.
 */
export function decodeImageUrl(url: string, name: string): MediaSource {
  if (isWebUrl(url)) return { type: "url", url }
  if (!isDataUrl(url)) {
    throw invalidValue(
      name,
      `Invalid value for '${name}': expected an http or https address, ` +
        "or a data URL with a base64-encoded image.",
    )
  }
  const source = decodeDataUrl(url)
  if (source?.type === "base64" && source.mediaType?.startsWith("image/")) return source
  throw invalidValue(
    name,
    `Invalid value for '${name}': expected a base64-encoded data URL with an image MIME type ` +
      "(e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got a value without it.",
  )
}

/** Returns the address of an image; undefined for an image that is stored at another vendor. */
export function encodeImageUrl(source: MediaSource): string | undefined {
  switch (source.type) {
    case "url":
      return source.url
    case "base64":
      return encodeDataUrl(source.data, source.mediaType ?? imageType(source.data))
    case "reference":
      return undefined
  }
}

/**
 * Decodes the data of a file, which may be a data URL.
 * @param name the name of the parameter, for errors.
 */
export function decodeFileData(data: string, name: string): MediaSource {
  if (!isDataUrl(data)) return { type: "base64", data }
  const source = decodeDataUrl(data)
  if (source !== undefined) return source
  throw invalidValue(name, `Invalid value for '${name}': expected a base64-encoded data URL.`)
}
