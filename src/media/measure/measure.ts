import { readSync } from "node:fs"
import type { MediaExtent } from "../../canon/message.ts"
import { maxTextTokens } from "../../canon/text-bytes.ts"
import { pdfExtent } from "../pdf/pages.ts"
import { latin1 } from "../peek.ts"
import { audioContainer } from "../audio-container.ts"
import { PROBED_BYTES, waveDuration } from "../wave-duration.ts"
import { ByteReader } from "./byte-reader.ts"
import { type Duration, TooManyParts } from "./duration.ts"
import { flacDuration } from "./flac.ts"
import { adtsDuration, mp3Duration } from "./frames.ts"
import { mp4Duration } from "./mp4.ts"
import { mpegDuration } from "./mpeg-program.ts"
import { oggDuration } from "./ogg.ts"
import { webmDuration } from "./webm.ts"

/** Media to measure: an open file, the bytes of a file, or its base64. */
export type MeasureInput =
  | { readonly descriptor: number; readonly size: number }
  | { readonly bytes: Uint8Array }
  | { readonly base64: string }

/** The measured extent of media. Media are measured on a worker thread. */
export interface Measured {
  readonly duration?: Duration | undefined
  readonly extent?: MediaExtent | undefined
}

export function measureMedia(input: MeasureInput): Measured {
  const bytes =
    "base64" in input
      ? Buffer.from(input.base64, "base64")
      : "bytes" in input
        ? input.bytes
        : undefined
  if (bytes !== undefined && isPdf(bytes)) {
    return { extent: pdfExtent(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) }
  }
  const reader =
    "descriptor" in input ? fileReader(input) : ByteReader.of(bytes ?? new Uint8Array())
  const duration = knownDuration(reader)
  if (duration === undefined)
    return bytes === undefined ? {} : { extent: { textBytes: textBytes(bytes) } }
  return { duration, extent: { seconds: duration.maxSeconds, hasVideo: duration.hasVideo } }
}

/**
 * Returns the maximum size of a file as text in bytes of UTF-8, unchanged and in the normal forms that some tokenizers
 * use. An invalid byte becomes a character of 3 bytes.
 */
function textBytes(file: Uint8Array): number {
  const isWide = /^(\xff\xfe|\xfe\xff)/.test(latin1(file.subarray(0, 2)))
  const encoding = isWide ? (file[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8"
  const text = new TextDecoder(encoding).decode(file)
  return Math.max(file.length, maxTextTokens(text))
}

/** Maximum bytes before the PDF mark that readers accept. */
const PDF_HEAD = 1_024

export function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, PDF_HEAD)).includes("%PDF-")
}

function knownDuration(reader: ByteReader): Duration | undefined {
  try {
    return durationOf(reader)
  } catch (error) {
    if (error instanceof TooManyParts) return undefined
    throw error
  }
}

function fileReader({ descriptor, size }: { readonly descriptor: number; readonly size: number }) {
  return new ByteReader(size, (start, end) => {
    const part = new Uint8Array(end - start)
    for (let filled = 0; filled < part.length;) {
      const read = readSync(descriptor, part, filled, part.length - filled, start + filled)
      if (read === 0) throw new Error("the file became shorter")
      filled += read
    }
    return part
  })
}

/**
 * Returns the duration of audio or video, by its content.
 * @returns undefined if the content is neither, or if its duration cannot be determined.
 */
export function durationOf(reader: ByteReader): Duration | undefined {
  const head = reader.slice(0, PROBED_BYTES)
  switch (audioContainer(head)) {
    case "flac":
      return flacDuration(reader)
    case "mp3":
      // AAC may also follow a tag.
      return mp3Duration(reader) ?? adtsDuration(reader)
    case "mp4":
      return mp4Duration(reader)
    case "mpeg":
      return mpegDuration(reader)
    case "ogg":
      return oggDuration(reader)
    case "webm":
      return webmDuration(reader)
    case "wav":
      return waveDuration(head, reader.size)
    case undefined:
      // Chats also accept AIFF, and AAC without a container.
      return waveDuration(head, reader.size) ?? adtsDuration(reader)
  }
}
