import type { ByteReader } from "./byte-reader.ts"
import { readFlacInfo } from "./flac.ts"
import type { Range } from "./duration.ts"
import {
  AAC_RATES,
  AAC_SAMPLES,
  MAX_MP3_SECONDS,
  MIN_AAC_RATE,
  MIN_SPEECH_BYTES_PER_SECOND,
} from "./frames.ts"
import { MAX_PACKET_SECONDS, MIN_PACKET_SECONDS } from "./opus.ts"

/** The properties of an audio track's codec. */
export interface SampleEntry {
  /** Maximum seconds of a sample that contains one frame. */
  readonly maxSampleSeconds: number
  /** Minimum seconds of a sample, regardless of the time table. */
  readonly minSampleSeconds: number
  /** Minimum and maximum bytes per second, for codecs whose decoders read several frames from a sample. */
  readonly bytesPerSecond?: Range
}

/** Maximum bytes of an AAC frame with two channels (ISO 14496-3, 4.5.1.1: 6,144 bits for each channel). */
const MAX_AAC_BYTES = 1_536
const MPEG_AUDIO: SampleEntry = {
  maxSampleSeconds: MAX_MP3_SECONDS,
  // The shortest frame has 384 samples at 48 kHz.
  minSampleSeconds: 0.008,
  bytesPerSecond: { min: MIN_SPEECH_BYTES_PER_SECOND, max: 56_000 },
}
const ANY_BYTES: Range = { min: MIN_SPEECH_BYTES_PER_SECOND, max: Infinity }
/** The highest sample rate of ALAC. */
const MAX_ALAC_RATE = 384_000
/** The lowest bit rate of AMR is 4.75 kbit/s. */
const AMR_BYTES: Range = { min: 590, max: Infinity }

/** Reads an entry of a sample description (ISO 14496-12, 8.5.2); undefined for unknown codecs. */
export function readSampleEntry(
  reader: ByteReader,
  at: number,
  end: number,
): SampleEntry | undefined {
  // Version 2 of QuickTime's entry has its rate in another place.
  if (reader.uint(at + 16, 2) === 2) return undefined
  const rate = reader.uint(at + 32, 2)
  const codec = reader.text(at + 4, 4)
  switch (codec) {
    case "mp4a":
      return readMp4a(reader, at, end, rate)
    case "Opus":
      return { maxSampleSeconds: MAX_PACKET_SECONDS, minSampleSeconds: MIN_PACKET_SECONDS }
    case "alac": {
      let seconds = 0
      for (const box of boxesNamed(reader, "alac", at + 36, end)) {
        const sampleRate = Math.min(MAX_ALAC_RATE, reader.uint(box + 24, 4))
        seconds = Math.max(seconds, reader.uint(box + 4, 4) / sampleRate)
      }
      return seconds > 0 && Number.isFinite(seconds)
        ? { maxSampleSeconds: seconds, minSampleSeconds: seconds }
        : undefined
    }
    case "fLaC": {
      let lowest = Infinity
      for (const box of boxesNamed(reader, "dfLa", at + 36, end)) {
        lowest = Math.min(lowest, readFlacInfo(reader, box + 8).sampleRate)
      }
      const isKnown = lowest > 0 && lowest < Infinity
      return isKnown
        ? { maxSampleSeconds: 65_536 / lowest, minSampleSeconds: 0, bytesPerSecond: ANY_BYTES }
        : undefined
    }
    case "ac-3":
    case "ec-3":
      // The longest sample has 1,536 samples at the lowest rate of 16 kHz. The shortest has 256 at the highest rate.
      return {
        maxSampleSeconds: 0.096,
        minSampleSeconds: 256 / 48_000,
        bytesPerSecond: ANY_BYTES,
      }
    case ".mp3":
      return MPEG_AUDIO
    case "samr":
    case "sawb":
      // A sample has up to 15 frames of 20 ms (3GPP TS 26.244, 6.5).
      return { maxSampleSeconds: 0.3, minSampleSeconds: 0.02, bytesPerSecond: AMR_BYTES }
    case "sowt":
    case "twos":
    case "raw ":
    case "ulaw":
    case "alaw":
    case "lpcm":
    case "ipcm":
    case "in24":
    case "in32":
    case "fl32":
      return rate === 0
        ? undefined
        : {
            maxSampleSeconds: 1 / rate,
            minSampleSeconds: 0,
            bytesPerSecond: { min: rate, max: Infinity },
          }
    default:
      return undefined
  }
}

/** Object types of MPEG-1 and MPEG-2 audio, which are not AAC. */
const MPEG_AUDIO_TYPES: ReadonlySet<number> = new Set([0x69, 0x6b])

/** Reads an entry for AAC or MPEG audio. If there are several descriptors, a decoder may read any of them. */
function readMp4a(reader: ByteReader, at: number, end: number, rate: number): SampleEntry {
  const rates = rate === 0 ? [] : [rate]
  let shortest = Infinity
  for (const descriptor of boxesNamed(reader, "esds", at + 36, end)) {
    const decoder = findTag(reader, 0x04, descriptor + 4, end)
    if (decoder !== undefined && MPEG_AUDIO_TYPES.has(reader.byte(decoder))) return MPEG_AUDIO
    const specific = findTag(reader, 0x05, descriptor + 4, end)
    rates.push(specific === undefined ? MIN_AAC_RATE : aacRate(reader, specific))
    shortest = specific === undefined ? 0 : Math.min(shortest, shortestAacFrame(reader, specific))
  }
  const lowest = rates.length < 2 ? MIN_AAC_RATE : Math.min(...rates)
  return {
    maxSampleSeconds: AAC_SAMPLES / lowest,
    minSampleSeconds: shortest === Infinity ? 0 : shortest,
    bytesPerSecond: {
      min: MIN_SPEECH_BYTES_PER_SECOND,
      max: (MAX_AAC_BYTES * lowest) / AAC_SAMPLES,
    },
  }
}

/** Returns the sample rate in the configuration of an AAC decoder (ISO 14496-3, 1.6.2.1). */
export function aacRate(reader: ByteReader, at: number): number {
  const bits = reader.uint(at, 6)
  const bit = (from: number, count: number): number =>
    Math.floor(bits / 2 ** (48 - from - count)) % 2 ** count
  const start = bit(0, 5) === 31 ? 11 : 5
  const index = bit(start, 4)
  const named = index === 15 ? bit(start + 4, 24) : AAC_RATES[index]
  return named || MIN_AAC_RATE
}

/** Object types of AAC with short frames: low delay, and types with a number above 31 (ISO 14496-3, 1.5.1.1). */
const SHORT_FRAMES: ReadonlySet<number> = new Set([23, 31])

/** Returns the seconds of the shortest frame that the configuration of an AAC decoder allows. */
export function shortestAacFrame(reader: ByteReader, at: number): number {
  const isShort = SHORT_FRAMES.has(reader.byte(at) >> 3)
  return (isShort ? 480 : 960) / aacRate(reader, at)
}

/** Yields the content offsets of all boxes with a name. Their position depends on the version of the sample entry. */
function* boxesNamed(
  reader: ByteReader,
  name: string,
  start: number,
  end: number,
): Generator<number> {
  for (let at = start; (at = reader.findText(name, at)) < end; at++) yield at + name.length
}

/**
 * Returns the content of a descriptor (ISO 14496-1, 7.2.6). Descriptors before it may contain it or stand next to it.
 */
function findTag(
  reader: ByteReader,
  wanted: number,
  start: number,
  end: number,
): number | undefined {
  let at = start
  while (at < end) {
    const tag = reader.byte(at++)
    let length = 0
    for (let more = 0x80; more === 0x80 && at < end; at++) {
      more = reader.byte(at) & 0x80
      length = length * 128 + (reader.byte(at) & 0x7f)
    }
    if (tag === wanted) return at
    // The descriptor of the stream contains the descriptor of the decoder, which contains the configuration.
    if (tag === 0x03) at += 3
    else if (tag === 0x04) at += 13
    else at += length
  }
  return undefined
}
