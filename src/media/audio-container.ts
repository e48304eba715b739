import type { AudioContainer } from "../canon/transcription.ts"
import { latin1 } from "./peek.ts"

/** A file in EBML shows within its first bytes whether it is WebM. */
const EBML_HEAD = 256

/** The container of an audio file, by its first bytes; undefined when it is not supported. */
export function audioContainer(head: Uint8Array): AudioContainer | undefined {
  const start = latin1(head.subarray(0, 16))
  if (start.startsWith("fLaC")) return "flac"
  if (start.startsWith("OggS")) return "ogg"
  if (/^(RIFF|RF64)....WAVE/s.test(start)) return "wav"
  if (start.slice(4, 8) === "ftyp") return "mp4"
  if (start.startsWith("\x1a\x45\xdf\xa3")) return isWebm(head) ? "webm" : undefined
  // An MPEG-1 or MPEG-2 pack or sequence (ISO 13818-1).
  if (start.startsWith("\0\0\x01\xba") || start.startsWith("\0\0\x01\xb3")) return "mpeg"
  if (start.startsWith("ID3")) return behindTag(head)
  return isMpegAudio(head, 0) ? "mp3" : undefined
}

function isWebm(head: Uint8Array): boolean {
  return latin1(head.subarray(0, EBML_HEAD)).includes("webm")
}

/** FLAC can follow an ID3 tag, too; what follows a tag longer than the bytes read is taken to be MP3. */
function behindTag(head: Uint8Array): AudioContainer | undefined {
  const at = tagSize(head)
  if (at === undefined) return undefined
  return latin1(head.subarray(at, at + 4)) === "fLaC" ? "flac" : "mp3"
}

/** Bytes of an ID3v2 tag, its header included: four times seven bits (id3.org, ID3v2.4.0, 3.1). */
function tagSize(head: Uint8Array): number | undefined {
  const bytes = head.subarray(6, 10)
  if (bytes.length < 4 || bytes.some((byte) => byte > 0x7f)) return undefined
  return 10 + bytes.reduce((size, byte) => size * 128 + byte, 0)
}

/** kbit/s by index, of layers I to III in MPEG-1 and in MPEG-2 (ISO 11172-3, 2.4.2.3; 13818-3). */
const RATES_1 = [
  [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
] as const
const LOW_RATES = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const
const RATES_2 = [
  [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  LOW_RATES,
  LOW_RATES,
] as const
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const

/** Whether a frame of MPEG audio starts here, and another one where it ends. */
function isMpegAudio(bytes: Uint8Array, at: number): boolean {
  const length = frameLength(bytes, at)
  if (length === undefined) return false
  const next = at + length
  return next + 4 > bytes.length || frameLength(bytes, next) !== undefined
}

function frameLength(bytes: Uint8Array, at: number): number | undefined {
  const [sync = 0, kind = 0, rates = 0] = bytes.subarray(at, at + 3)
  if (sync !== 0xff || kind < 0xe0) return undefined
  const version = (kind >> 3) & 3
  const layer = 4 - ((kind >> 1) & 3)
  // Version 1 is reserved; layer 0 on the wire is AAC, not MPEG audio.
  if (version === 1 || layer === 4) return undefined
  const isFirst = version === 3
  const kilobits = (isFirst ? RATES_1 : RATES_2)[layer - 1]?.[(rates >> 4) - 1]
  const base = SAMPLE_RATES[(rates >> 2) & 3]
  if (kilobits === undefined || base === undefined) return undefined
  const sampleRate = base / (isFirst ? 1 : version === 2 ? 2 : 4)
  const padding = (rates >> 1) & 1
  if (layer === 1) return (Math.floor((12_000 * kilobits) / sampleRate) + padding) * 4
  const samples = layer === 3 && !isFirst ? 72_000 : 144_000
  return Math.floor((samples * kilobits) / sampleRate) + padding
}
