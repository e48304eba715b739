import type { MediaSource } from "../canon/message.ts"
import { type Peek, peek } from "./peek.ts"

/**
 * Tokens of one second. Gemini counts 32 ("Understand and count tokens"), Qwen's audio models 25,
 * Voxtral 12.5, OpenAI 10 (Realtime guide: one for each 100 ms of a user's audio).
 */
const TOKENS_PER_SECOND = 32

/** Whisper-style encoders process windows of this many seconds, the last one padded with silence. */
const WINDOW_SECONDS = 30

/** The longest audio that any vendor accepts in one request: Gemini's 9.5 hours. */
const LONGEST_SECONDS = 34_200

/**
 * The fewest bytes per second: MP3 starts at 8 kbit/s (ISO 13818-3), Opus at 6 kbit/s (RFC 6716), and nothing
 * else that vendors accept is denser for speech.
 */
const MP3_BYTES_PER_SECOND = 1_000
const MIN_BYTES_PER_SECOND = 750

/** The most input tokens that audio can cost. A linked file is taken to be the longest. */
export function audioTokenBound(source: MediaSource, format: string | undefined): number {
  const sound = peek(source)
  const seconds = sound ? secondsOf(sound, format ?? sound.mediaType) : LONGEST_SECONDS
  const windows = Math.ceil(Math.min(seconds, LONGEST_SECONDS) / WINDOW_SECONDS)
  return Math.max(1, windows) * WINDOW_SECONDS * TOKENS_PER_SECOND
}

function secondsOf(sound: Peek, format: string): number {
  // The bytes count, whatever the caller calls the format.
  const rate = waveBytesPerSecond(sound.head)
  if (rate !== undefined) return sound.size / rate
  const isMp3 = /mp3|mpeg|mpga/i.test(format)
  return sound.size / (isMp3 ? MP3_BYTES_PER_SECOND : MIN_BYTES_PER_SECOND)
}

/** Format tags of a WAV file whose samples all have the same size: PCM, float, A-law and mu-law. */
const EVEN_FORMATS: ReadonlySet<number> = new Set([1, 3, 6, 7])
const EXTENSIBLE = 0xfffe
const HIGHEST_RATE = 384_000
const MAX_CHANNELS = 32

/**
 * Bytes per second of a WAV file, from its `fmt ` chunk; undefined when it is not one or is compressed. Its
 * sizes are never trusted: streamed files say 0xffffffff (docs/wire/README.md#f7), others lie.
 */
export function waveBytesPerSecond(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.byteLength < 12) return undefined
  if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57415645) return undefined
  const at = findFormat(view)
  if (at === undefined) return undefined
  const tag = view.getUint16(at, true)
  const isExtended = tag === EXTENSIBLE && at + 26 <= view.byteLength
  const format = isExtended ? view.getUint16(at + 24, true) : tag
  if (!EVEN_FORMATS.has(format)) return undefined
  const channels = Math.min(MAX_CHANNELS, view.getUint16(at + 2, true))
  const sampleRate = Math.min(HIGHEST_RATE, view.getUint32(at + 4, true))
  const sampleBytes = Math.min(8, Math.ceil(view.getUint16(at + 14, true) / 8))
  return Math.max(MIN_BYTES_PER_SECOND, channels * sampleRate * sampleBytes)
}

/** Where the content of the `fmt ` chunk starts. Each chunk is at least as long as its header. */
function findFormat(view: DataView): number | undefined {
  let at = 12
  while (at + 24 <= view.byteLength) {
    if (view.getUint32(at) === 0x666d7420) return at + 8
    const size = view.getUint32(at + 4, true)
    at += 8 + size + (size % 2)
  }
  return undefined
}
