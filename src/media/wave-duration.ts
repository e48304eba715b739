import type { Duration } from "./measure/duration.ts"
import { MIN_SPEECH_BYTES_PER_SECOND } from "./measure/frames.ts"
import { mpegFrame } from "./mpeg-frame.ts"
import { latin1 } from "./peek.ts"
import { chunkAt, samplesAt } from "./wave.ts"

/** Minimum bytes of a WAV file before its samples. */
const WAVE_HEADER = 44

/** Number of leading bytes of an uncompressed file that decoders search for frames. */
export const PROBED_BYTES = 192 * 1024

/**
 * Rate of two channels with 32 bits at 48 kHz. Speech does not exceed this rate, so higher header values are capped.
 */
const MAX_BYTES_PER_SECOND = 384_000

/**
 * Returns the duration of a WAV or AIFF file with a constant bit rate. Returns undefined for other files. Also returns
 * undefined if the samples are frames of a compressed format, because decoders play such frames regardless of the
 * header.
 * @param head the first bytes of the file.
 */
export function waveDuration(head: Uint8Array, size: number): Duration | undefined {
  const rate = waveBytesPerSecond(head) ?? aiffBytesPerSecond(head)
  if (rate === undefined || !(rate > 0) || hasFrames(head) || hasMarks(head)) return undefined
  const bytes = Math.max(0, size - WAVE_HEADER)
  const seconds = bytes / Math.min(rate, MAX_BYTES_PER_SECOND)
  const maxSeconds = rate > MAX_BYTES_PER_SECOND ? bytes / MIN_SPEECH_BYTES_PER_SECOND : seconds
  return { seconds, maxSeconds, hasVideo: false }
}

/**
 * Number of consecutive frames by which decoders recognize a format. Fewer are sufficient at the start of a file.
 * Ordinary samples do not form such sequences.
 */
const MIN_FIRST_FRAMES = 3
const MIN_FRAMES = 7
const FIRST_BYTES = 4_096

function hasFrames(head: Uint8Array): boolean {
  const firstEnd = (samplesAt(head) ?? 0) + FIRST_BYTES
  for (let start = 0; start < head.length; start++) {
    const first = head[start]
    // Most samples do not start a frame.
    if (first !== 0xff && first !== 0x56 && first !== 0x0b && first !== 0x77) continue
    const enough = start < firstEnd ? MIN_FIRST_FRAMES : MIN_FRAMES
    let at = start
    let frames = 0
    for (let bytes = frameBytes(head, at); bytes > 0; bytes = frameBytes(head, at)) {
      at += bytes
      if (++frames === enough) return true
    }
  }
  return false
}

/** Reports whether a position has the header of an MPEG audio frame. */
function isMpeg(head: Uint8Array, at: number): boolean {
  return head[at] === 0xff && ((head[at + 1] ?? 0) & 6) !== 0
}

/** Returns the size in bytes of the MPEG audio, AAC or AC-3 frame at a position; 0 if it has no frame. */
function frameBytes(head: Uint8Array, at: number): number {
  const second = head[at + 1] ?? 0
  const third = head[at + 2] ?? 0
  switch (head[at]) {
    case 0xff:
      if (second < 0xe0) return 0
      if (isMpeg(head, at)) return mpegFrame(0xff, second, third)?.bytes ?? 0
      return second >= 0xf0 && ((third >> 2) & 15) < 13 ? (uint24(head, at + 3) >> 5) & 0x1fff : 0
    // AAC in LOAS frames (ISO 14496-3, 1.7.2).
    case 0x56:
      return second >> 5 === 7 ? 3 + (((second & 31) << 8) | third) : 0
    case 0x0b:
      return second === 0x77 ? ac3Bytes(head, at, 0) : 0
    // AC-3 with swapped bytes in each word.
    case 0x77:
      return second === 0x0b ? ac3Bytes(head, at, 1) : 0
    default:
      return 0
  }
}

function uint24(head: Uint8Array, at: number): number {
  return ((head[at] ?? 0) << 16) | ((head[at + 1] ?? 0) << 8) | (head[at + 2] ?? 0)
}

/** Bit rates of AC-3 in kbit/s by index (ETSI TS 102 366, table 4.13). */
const AC3_RATES = [
  32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
]
const AC3_SAMPLES = 1_536

/**
 * Returns the size in bytes of an AC-3 or E-AC-3 frame.
 * @param swap 1 if the bytes of each word are swapped.
 */
function ac3Bytes(head: Uint8Array, at: number, swap: 0 | 1): number {
  const byte = (offset: number): number => head[at + (offset ^ swap)] ?? 0
  const version = byte(5) >> 3
  if (version > 10) return version > 16 ? 0 : ((((byte(2) & 7) << 8) | byte(3)) + 1) * 2
  const sampleRate = [48_000, 44_100, 32_000][byte(4) >> 6]
  const kilobits = AC3_RATES[(byte(4) & 63) >> 1]
  if (sampleRate === undefined || kilobits === undefined) return 0
  const words = Math.floor((kilobits * 125 * AC3_SAMPLES) / sampleRate / 2)
  return (sampleRate === 44_100 ? words + (byte(4) & 1) : words) * 2
}

/** The first bytes of a frame, and bits that a later byte must have. */
interface Mark {
  readonly start: string
  readonly at: number
  readonly mask: number
  readonly value: number
}

/**
 * Marks of DTS in its four forms (ETSI TS 102 114, 5.3), TrueHD, and bursts in S/PDIF (IEC 61937) in both byte orders.
 */
const MARKS: readonly Mark[] = [
  { start: "\x7f\xfe\x80\x01", at: 4, mask: 0x7c, value: 0x7c },
  { start: "\xfe\x7f\x01\x80", at: 5, mask: 0x7c, value: 0x7c },
  { start: "\x1f\xff\xe8\x00", at: 4, mask: 0xff, value: 0x07 },
  { start: "\xff\x1f\x00\xe8", at: 5, mask: 0xff, value: 0x07 },
  { start: "\xf8\x72\x6f\xba", at: 0, mask: 0, value: 0 },
  { start: "\x72\xf8\x1f\x4e", at: 0, mask: 0, value: 0 },
  { start: "\xf8\x72\x4e\x1f", at: 0, mask: 0, value: 0 },
]

function hasMarks(head: Uint8Array): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  return MARKS.some(({ start, at, mask, value }) => {
    let found = 0
    for (let place = -1; (place = bytes.indexOf(start, place + 1, "latin1")) >= 0;) {
      if (((bytes[place + at] ?? 0) & mask) === value && ++found > 1) return true
    }
    return false
  })
}

/**
 * Format tags of WAV files whose samples all have the same size: PCM, float, A-law and mu-law. Samples of A-law and
 * mu-law have one byte.
 */
const EVEN_FORMATS: ReadonlySet<number> = new Set([1, 3, 6, 7])
const ONE_BYTE_FORMATS: ReadonlySet<number> = new Set([6, 7])
const EXTENSIBLE = 0xfffe
/** Bytes of a `fmt ` chunk up to the bits per sample. `EXTENSIBLE_SIZE` is the size in the extensible format. */
const FORMAT_SIZE = 16
const EXTENSIBLE_SIZE = 40

/** The fields of a `fmt ` chunk that decoders of compressed formats use. */
interface CodecFormat {
  readonly channels: number
  readonly sampleRate: number
  readonly bytesPerSecond: number
  readonly blockBytes: number
  readonly bits: number
}

/** Returns the maximum number of samples that a byte decodes to, over all channels; undefined if that is uncertain. */
type SamplesPerByte = (format: CodecFormat) => number | undefined

/** Compressed formats with a constant bit rate, by format tag. The headers of blocks are counted as samples. */
const CODECS: ReadonlyMap<number, SamplesPerByte> = new Map<number, SamplesPerByte>([
  // Microsoft ADPCM has four bits per sample, and IMA ADPCM two to five.
  [0x02, () => 2],
  [0x11, ({ bits }) => (isAdpcm(bits) ? Math.max(2, 8 / bits) : undefined)],
  [0x45, g726Samples],
  // GSM 06.10 has 320 samples in a block of 65 bytes, or of fewer bytes at lower bit rates.
  [0x31, ({ channels, blockBytes }) => ifMono(channels, 320 / (blockBytes === 65 ? 65 : 41))],
  [0x28f, ({ channels }) => ifMono(channels, 2)],
])

function isAdpcm(bits: number): boolean {
  return bits >= 2 && bits <= 5
}

/**
 * Returns the samples of a file with one channel. For several channels it returns undefined, because decoders of some
 * formats read one channel regardless of the header.
 */
function ifMono(channels: number, samples: number): number | undefined {
  return channels === 1 ? samples : undefined
}

/** Returns the samples per byte of G.726. Some decoders compute the bits per sample from the bit rate. */
function g726Samples(format: CodecFormat): number | undefined {
  const { channels, sampleRate, bytesPerSecond, bits } = format
  const computed = Math.floor((bytesPerSecond * 8) / sampleRate)
  if (!isAdpcm(bits) || !isAdpcm(computed)) return undefined
  return ifMono(channels, 8 / Math.min(bits, computed))
}

/** Highest header values for which the duration of a compressed format is measured. */
const MAX_CODEC_RATE = 48_000
const MAX_CODEC_CHANNELS = 2

const MAX_SAMPLE_RATE = 384_000
const MAX_CHANNELS = 32

/**
 * Returns the bytes per second of a WAV file from its `fmt ` chunk; undefined if the file is not a WAV file or is
 * compressed. Sizes in the file are never trusted: streamed files contain 0xffffffff
 * (docs/contribute/wire/README.md#f7), and others may be wrong.
 */
function waveBytesPerSecond(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.byteLength < 12) return undefined
  if (!/^(RIFF|RF64)....WAVE/s.test(latin1(bytes.subarray(0, 12)))) return undefined
  const at = chunkAt(bytes, 0x666d7420)
  if (at === undefined || at + FORMAT_SIZE > view.byteLength) return undefined
  const size = view.getUint32(at - 4, true)
  // A shorter chunk is rejected, because decoders read its fields in different ways.
  if (size < FORMAT_SIZE) return undefined
  const tag = view.getUint16(at, true)
  const codec = CODECS.get(tag)
  if (codec !== undefined) return codecBytesPerSecond(view, at, codec)
  const isExtended = tag === EXTENSIBLE && size >= EXTENSIBLE_SIZE && at + 26 <= view.byteLength
  const format = isExtended ? view.getUint16(at + 24, true) : tag
  if (!EVEN_FORMATS.has(format)) return undefined
  const channels = Math.min(MAX_CHANNELS, view.getUint16(at + 2, true))
  const sampleRate = Math.min(MAX_SAMPLE_RATE, view.getUint32(at + 4, true))
  if (ONE_BYTE_FORMATS.has(format)) return channels * sampleRate
  const bits = view.getUint16(at + 14, true)
  // Some decoders use the number of valid bits as the sample size.
  const validBits = (isExtended && view.getUint16(at + 18, true)) || bits
  return channels * sampleRate * Math.min(8, Math.ceil(Math.min(bits, validBits) / 8))
}

function codecBytesPerSecond(
  view: DataView,
  at: number,
  samplesPerByte: SamplesPerByte,
): number | undefined {
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  if (channels > MAX_CODEC_CHANNELS || sampleRate > MAX_CODEC_RATE) return undefined
  const samples = samplesPerByte({
    channels,
    sampleRate,
    bytesPerSecond: view.getUint32(at + 8, true),
    blockBytes: view.getUint16(at + 12, true),
    bits: view.getUint16(at + 14, true),
  })
  return samples && (sampleRate * channels) / samples
}

/** Bytes of a `COMM` chunk. */
const COMMON_SIZE = 18

/**
 * Returns the bytes per second of an AIFF file from its `COMM` chunk; undefined if the file is not an AIFF file or is
 * compressed.
 */
function aiffBytesPerSecond(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.byteLength < 12) return undefined
  if (view.getUint32(0) !== 0x464f524d || view.getUint32(8) !== 0x41494646) return undefined
  for (let at = 12; at + 26 <= view.byteLength;) {
    const size = view.getUint32(at + 4)
    if (view.getUint32(at) === 0x434f4d4d) {
      if (size < COMMON_SIZE) return undefined
      // The sample rate is an 80-bit float.
      const exponent = (view.getUint16(at + 16) & 0x7fff) - 16_383
      const sampleRate = (view.getUint32(at + 18) / 2 ** 31) * 2 ** exponent
      const sampleBytes = Math.ceil(view.getUint16(at + 14) / 8)
      return view.getUint16(at + 8) * Math.min(MAX_SAMPLE_RATE, sampleRate) * sampleBytes
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}
