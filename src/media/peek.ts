import type { MediaSource } from "../canon/message.ts"

/** Maximum base64 characters that are decoded, so that the work is bounded for any input. */
const WINDOW = 64 * 1024

/** Properties of media that are known without decoding all of the data. */
export interface Peek {
  /** Decoded size in bytes. */
  readonly size: number
  readonly mediaType: string
  readonly head: Uint8Array
}

const DATA_URL = /^data:([^;,]{0,127})(?:;[^,]{0,255})?,/i

/** Inspects media that was sent with the request. Returns undefined for linked media. */
export function peek(source: MediaSource): Peek | undefined {
  if (source.type === "base64") return peekBase64(source.data, 0, source.mediaType ?? "")
  if (source.type !== "url") return undefined
  const match = DATA_URL.exec(source.url.slice(0, 512))
  return match ? peekBase64(source.url, match[0].length, match[1] ?? "") : undefined
}

function peekBase64(text: string, start: number, mediaType: string): Peek {
  const length = text.length - start
  return {
    size: decodedSize(text, length),
    mediaType: mediaType.toLowerCase(),
    head: decode(text.slice(start, start + WINDOW)),
  }
}

function decodedSize(text: string, length: number): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  return Math.max(0, Math.floor(((length - Math.min(padding, length)) * 3) / 4))
}

function decode(base64: string): Uint8Array {
  return Buffer.from(base64, "base64")
}

/** Returns the bytes as a searchable text with one character per byte. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
}
