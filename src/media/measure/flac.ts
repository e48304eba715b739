import type { ByteReader } from "./byte-reader.ts"
import { audioDuration, type Duration } from "./duration.ts"
import { skipTags } from "./frames.ts"

/** The content of STREAMINFO (RFC 9639, 8.2). */
export interface FlacInfo {
  readonly sampleRate: number
  /** Number of samples; 0 if it is unknown. */
  readonly samples: number
}

/**
 * Reads the content of STREAMINFO.
 * @param at position of the content.
 */
export function readFlacInfo(reader: ByteReader, at: number): FlacInfo {
  const rateAndMore = reader.uint(at + 10, 3)
  const samples = (reader.byte(at + 13) & 15) * 2 ** 32 + reader.uint(at + 14, 4)
  return { sampleRate: rateAndMore >> 4, samples }
}

export function flacDuration(reader: ByteReader): Duration | undefined {
  const start = skipTags(reader)
  if (reader.text(start, 4) !== "fLaC") return undefined
  const info = readFlacInfo(reader, start + 8)
  // All bytes are searched for frames, because a metadata block may declare a wrong length.
  const seconds = flacFramesSeconds(reader, start + 4, info.sampleRate)
  if (seconds === 0) return undefined
  const claimed = info.sampleRate > 0 ? info.samples / info.sampleRate : 0
  return audioDuration({ min: seconds, max: seconds }, claimed)
}

/** Returns the duration of all frames after a position, in seconds. */
export function flacFramesSeconds(reader: ByteReader, from: number, streamRate: number): number {
  let seconds = 0
  for (let at = from; at < reader.size; at = reader.find(0xff, at + 1)) {
    seconds += flacFrameSeconds(reader, at, streamRate) ?? 0
  }
  return seconds
}

const RATES = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
]

/**
 * Returns the duration in seconds of the frame that starts at a position; undefined if no frame starts there (RFC 9639,
 * 9.1).
 */
function flacFrameSeconds(reader: ByteReader, at: number, streamRate: number): number | undefined {
  if (reader.byte(at) !== 0xff || (reader.byte(at + 1) & 0xfe) !== 0xf8) return undefined
  const sizeCode = reader.byte(at + 2) >> 4
  const rateCode = reader.byte(at + 2) & 15
  const kind = reader.byte(at + 3)
  if (sizeCode === 0 || rateCode === 15 || kind >> 4 > 10 || (kind & 1) === 1) return undefined
  // The number of the frame or sample is encoded like a character in UTF-8.
  const lead = reader.byte(at + 4)
  const ones = Math.clz32(~(lead << 24))
  if (ones === 1 || ones === 8) return undefined
  let next = at + 4 + Math.max(1, ones)
  const take = (bytes: number): number => {
    next += bytes
    return reader.uint(next - bytes, bytes)
  }
  const samples = samplesOf(sizeCode, take)
  const rate = rateOf(rateCode, take) || streamRate
  if (rate === 0 || crc8(reader, at, next) !== reader.byte(next)) return undefined
  return samples / rate
}

function samplesOf(code: number, take: (bytes: number) => number): number {
  if (code === 1) return 192
  if (code < 6) return 144 * 2 ** code
  return code === 6 ? take(1) + 1 : code === 7 ? take(2) + 1 : 2 ** code
}

function rateOf(code: number, take: (bytes: number) => number): number {
  if (code === 12) return take(1) * 1_000
  return code === 13 ? take(2) : code === 14 ? take(2) * 10 : (RATES[code] ?? 0)
}

function crc8(reader: ByteReader, start: number, end: number): number {
  let crc = 0
  for (let at = start; at < end; at++) {
    crc ^= reader.byte(at)
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1
  }
  return crc
}
