import type { Duration } from "./measure/duration.ts"
import { mpegFrame } from "./mpeg-frame.ts"

/** A WAV file starts with at least this many bytes that are not samples. */
const WAVE_HEADER = 44

/**
 * The duration of a WAV or AIFF file whose samples all have the same size; undefined if it is not one, or if its samples
 * are frames of MPEG audio or AAC, which decoders play regardless of the header.
 * @param head its first bytes.
 */
export function waveDuration(head: Uint8Array, size: number): Duration | undefined {
  const rate = waveBytesPerSecond(head) ?? aiffBytesPerSecond(head)
  if (rate === undefined || !(rate > 0) || hasFrames(head)) return undefined
  const seconds = Math.max(0, size - WAVE_HEADER) / rate
  return { seconds, maxSeconds: seconds, hasVideo: false }
}

/** Minimum consecutive frames; plain samples do not look like that many frames. */
const MIN_FRAMES = 7

function hasFrames(head: Uint8Array): boolean {
  for (let start = head.indexOf(0xff); start >= 0; start = head.indexOf(0xff, start + 1)) {
    let at = start
    let frames = 0
    for (let bytes = frameBytes(head, at); bytes > 0; bytes = frameBytes(head, at)) {
      at += bytes
      if (++frames === MIN_FRAMES) return true
    }
  }
  return false
}

/** Returns the bytes of the MPEG audio or AAC frame at this position; 0 if there is no frame. */
function frameBytes(head: Uint8Array, at: number): number {
  const [sync = 0, kind = 0, rates = 0, high = 0, middle = 0, low = 0] = head.subarray(at, at + 6)
  if (sync !== 0xff) return 0
  const isAdts = (kind & 0xf6) === 0xf0 && ((rates >> 2) & 15) < 13
  if (isAdts) return ((high & 3) << 11) | (middle << 3) | (low >> 5)
  return mpegFrame(sync, kind, rates)?.bytes ?? 0
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
function waveBytesPerSecond(bytes: Uint8Array): number | undefined {
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
  return channels * sampleRate * sampleBytes
}

/** Bytes per second of an AIFF file, from its `COMM` chunk; undefined if it is not one or is compressed. */
function aiffBytesPerSecond(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.byteLength < 12) return undefined
  if (view.getUint32(0) !== 0x464f524d || view.getUint32(8) !== 0x41494646) return undefined
  for (let at = 12; at + 26 <= view.byteLength;) {
    const size = view.getUint32(at + 4)
    if (view.getUint32(at) === 0x434f4d4d) {
      // The rate is a float of 80 bits.
      const exponent = (view.getUint16(at + 16) & 0x7fff) - 16_383
      const sampleRate = (view.getUint32(at + 18) / 2 ** 31) * 2 ** exponent
      const sampleBytes = Math.ceil(view.getUint16(at + 14) / 8)
      return view.getUint16(at + 8) * Math.min(HIGHEST_RATE, sampleRate) * sampleBytes
    }
    at += 8 + size + (size % 2)
  }
  return undefined
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
