import type { AudioContainer } from "../canon/transcription.ts"
import { mpegFrame } from "./mpeg-frame.ts"
import { latin1 } from "./peek.ts"

/** Number of leading bytes of an EBML file that are searched for its type. */
const EBML_HEAD = 256

/** Detects the container of an audio file by its first bytes; undefined if it is not supported. */
export function audioContainer(head: Uint8Array): AudioContainer | undefined {
  const start = latin1(head.subarray(0, 16))
  if (start.startsWith("fLaC")) return "flac"
  if (start.startsWith("OggS")) return "ogg"
  if (/^(RIFF|RF64)....WAVE/s.test(start)) return "wav"
  if (start.slice(4, 8) === "ftyp") return "mp4"
  if (start.startsWith("\x1a\x45\xdf\xa3")) return isWebm(head) ? "webm" : undefined
  // The start of an MPEG-1 or MPEG-2 pack, or of a video sequence (ISO 13818-1).
  if (start.startsWith("\0\0\x01\xba") || start.startsWith("\0\0\x01\xb3")) return "mpeg"
  if (start.startsWith("ID3")) return behindTag(head)
  return isMpegAudio(head, 0) ? "mp3" : undefined
}

function isWebm(head: Uint8Array): boolean {
  return latin1(head.subarray(0, EBML_HEAD)).includes("webm")
}

/**
 * Formats that may follow an ID3 tag. Other containers after a tag are rejected, although some decoders skip the tag.
 */
const TAGGED: ReadonlySet<AudioContainer | undefined> = new Set(["flac", "mp3"])

/**
 * Returns the format of the content after a tag. Content beyond the read bytes, or with an unknown start, is assumed to
 * be MP3.
 */
function behindTag(head: Uint8Array): AudioContainer | undefined {
  const at = tagSize(head)
  if (at === undefined) return undefined
  const content = audioContainer(head.subarray(at)) ?? "mp3"
  return TAGGED.has(content) ? content : undefined
}

/**
 * Returns the size of an ID3v2 tag including its header. The size is stored as four times seven bits (id3.org,
 * ID3v2.4.0, 3.1).
 */
function tagSize(head: Uint8Array): number | undefined {
  const bytes = head.subarray(6, 10)
  if (bytes.length < 4 || bytes.some((byte) => byte > 0x7f)) return undefined
  return 10 + bytes.reduce((size, byte) => size * 128 + byte, 0)
}

/** Reports whether a frame of MPEG audio starts at a position and another frame follows it. */
function isMpegAudio(bytes: Uint8Array, at: number): boolean {
  const length = frameLength(bytes, at)
  if (length === undefined) return false
  const next = at + length
  return next + 4 > bytes.length || frameLength(bytes, next) !== undefined
}

function frameLength(bytes: Uint8Array, at: number): number | undefined {
  const [sync = 0, kind = 0, rates = 0] = bytes.subarray(at, at + 3)
  return mpegFrame(sync, kind, rates)?.bytes
}
