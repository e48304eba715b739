import type { ByteReader } from "./byte-reader.ts"
import { readFlacInfo } from "./flac.ts"
import type { Range } from "./duration.ts"
import { AAC_RATES, MAX_MP3_SECONDS, MIN_AAC_RATE, MIN_SPEECH_BYTES_PER_SECOND } from "./frames.ts"
import { MAX_PACKET_SECONDS } from "./opus.ts"

/** How an audio track is coded. */
export interface SampleEntry {
  /** Maximum duration of a sample that is one frame. */
  readonly maxSampleSeconds: number
  /** Minimum and maximum bytes per second of codecs whose decoders read several frames from a sample. */
  readonly bytesPerSecond?: Range
}

/** Maximum size of an AAC frame with two channels (ISO 14496-3, 4.5.1.1: 6,144 bits for each). */
const MAX_AAC_BYTES = 1_536
const MPEG_AUDIO_BYTES: Range = { min: MIN_SPEECH_BYTES_PER_SECOND, max: 56_000 }
const ANY_BYTES: Range = { min: MIN_SPEECH_BYTES_PER_SECOND, max: Infinity }
/** The lowest rate of AMR is 4.75 kbit/s. */
const AMR_BYTES: Range = { min: 590, max: Infinity }

/** Reads the first entry of a sample description (ISO 14496-12, 8.5.2); undefined for unknown codecs. */
export function readSampleEntry(
  reader: ByteReader,
  at: number,
  end: number,
): SampleEntry | undefined {
  const codec = reader.text(at + 4, 4)
  const rate = reader.uint(at + 32, 2)
  const longest = (
    samples: number,
    samplesASecond = rate,
    bytesPerSecond: Range = { min: Infinity, max: Infinity },
  ): SampleEntry | undefined =>
    samplesASecond === 0
      ? undefined
      : { maxSampleSeconds: samples / samplesASecond, bytesPerSecond }
  switch (codec) {
    case "mp4a": {
      if (isMpegAudio(reader, at, end)) {
        return { maxSampleSeconds: MAX_MP3_SECONDS, bytesPerSecond: MPEG_AUDIO_BYTES }
      }
      const lowest = lowestAacRate(reader, at, end, rate)
      const max = (MAX_AAC_BYTES * lowest) / 1_024
      return longest(1_024, lowest, { min: MIN_SPEECH_BYTES_PER_SECOND, max })
    }
    case "Opus":
      return { maxSampleSeconds: MAX_PACKET_SECONDS }
    case "alac": {
      const cookie = findBox(reader, "alac", at + 36, end)
      return cookie === undefined
        ? undefined
        : longest(reader.uint(cookie + 4, 4), reader.uint(cookie + 24, 4))
    }
    case "fLaC": {
      const box = findBox(reader, "dfLa", at + 36, end)
      return box === undefined
        ? undefined
        : longest(65_536, readFlacInfo(reader, box + 8).sampleRate, ANY_BYTES)
    }
    case "ac-3":
    case "ec-3":
      // 1,536 samples at the lowest rate, 16 kHz.
      return { maxSampleSeconds: 0.096, bytesPerSecond: ANY_BYTES }
    case ".mp3":
      return { maxSampleSeconds: MAX_MP3_SECONDS, bytesPerSecond: MPEG_AUDIO_BYTES }
    case "samr":
    case "sawb":
      // Up to 15 frames of 20 ms (3GPP TS 26.244, 6.5).
      return { maxSampleSeconds: 0.3, bytesPerSecond: AMR_BYTES }
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
      return longest(1, rate, { min: rate, max: Infinity })
    default:
      return undefined
  }
}

/** The tag of an object type that is not AAC: MPEG-1 and MPEG-2 audio. */
const MPEG_AUDIO: ReadonlySet<number> = new Set([0x69, 0x6b])

function isMpegAudio(reader: ByteReader, at: number, end: number): boolean {
  const descriptor = findBox(reader, "esds", at + 36, end)
  const decoder = descriptor === undefined ? undefined : findTag(reader, 0x04, descriptor + 4, end)
  return decoder !== undefined && MPEG_AUDIO.has(reader.byte(decoder))
}

/** Returns the lowest rate of the entry and its decoder configuration. */
function lowestAacRate(reader: ByteReader, at: number, end: number, rate: number): number {
  const descriptor = findBox(reader, "esds", at + 36, end)
  const specific = descriptor === undefined ? undefined : findTag(reader, 0x05, descriptor + 4, end)
  if (specific === undefined) return Math.min(rate || MIN_AAC_RATE, MIN_AAC_RATE)
  const named = aacRate(reader, specific)
  return Math.min(rate || named, named)
}

/** Returns the rate in the configuration of an AAC decoder (ISO 14496-3, 1.6.2.1). */
export function aacRate(reader: ByteReader, at: number): number {
  const bits = reader.uint(at, 6)
  const bit = (from: number, count: number): number =>
    Math.floor(bits / 2 ** (48 - from - count)) % 2 ** count
  const start = bit(0, 5) === 31 ? 11 : 5
  const index = bit(start, 4)
  const named = index === 15 ? bit(start + 4, 24) : AAC_RATES[index]
  return named || MIN_AAC_RATE
}

/** Where the content of a box is, by its name: entries of different versions have it in different places. */
function findBox(reader: ByteReader, name: string, start: number, end: number): number | undefined {
  const text = reader.text(start, Math.min(end - start, 4_096))
  const found = text.indexOf(name)
  return found < 0 ? undefined : start + found + 4
}

/** Where the content of a descriptor is (ISO 14496-1, 7.2.6): those before it nest or come first. */
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
    // The stream's own descriptor holds the decoder's, and that the configuration.
    if (tag === 0x03) at += 3
    else if (tag === 0x04) at += 13
    else at += length
  }
  return undefined
}
