import { ByteReader } from "./byte-reader.ts"
import type { Range } from "./duration.ts"
import { AAC_SAMPLES, MIN_SPEECH_BYTES_PER_SECOND, mp3Duration } from "./frames.ts"
import { vorbisSeconds } from "./ogg.ts"
import { MAX_PACKET_SECONDS, opusSeconds } from "./opus.ts"

/** The properties of a track's codec. */
export interface Track {
  readonly numbers: number[]
  isAudio: boolean
  codec: string
  rate: number
  /** The duration of a Vorbis packet in seconds, from the header of the codec. */
  vorbis: Range | undefined
  /** Sample rate from the configuration of the AAC decoder; 0 without one. */
  aacRate: number
  /** Seconds of the shortest AAC frame that the decoder configuration allows. */
  shortestAac: number
}

export function newTrack(): Track {
  return {
    numbers: [],
    isAudio: false,
    codec: "",
    rate: 8_000,
    vorbis: undefined,
    aacRate: 0,
    shortestAac: 0,
  }
}

/** The counted frames of a track, for any codec. */
export interface Frames {
  count: number
  bytes: number
  /** Minimum seconds, counted by the headers of Opus and MP3 frames. */
  opusMin: number
  opusMax: number
  mp3Min: number
  mp3Max: number
}

export const NO_FRAMES: Readonly<Frames> = {
  count: 0,
  bytes: 0,
  opusMin: 0,
  opusMax: 0,
  mp3Min: 0,
  mp3Max: 0,
}

/** The usual duration of an Opus packet in seconds. */
const OPUS_SECONDS = 0.02

interface Content {
  readonly at: number
  readonly end: number
  readonly isLaced: boolean
}

/** Adds the frames of a block. */
export function addFrames(frames: Frames, reader: ByteReader, { at, end, isLaced }: Content): void {
  const count = isLaced ? reader.byte(at) + 1 : 1
  frames.count += count
  frames.bytes += Math.max(0, end - at)
  const isKnown = !isLaced && end > at
  const single = opusSeconds(reader.byte(at), end > at + 1 ? reader.byte(at + 1) : 0)
  frames.opusMin += isKnown ? single : isLaced ? count * OPUS_SECONDS : 0
  frames.opusMax += isKnown ? single : count * MAX_PACKET_SECONDS
  if (reader.byte(isLaced ? at + count : at) !== 0xff) return
  // A block may contain several frames.
  const mp3 = mp3Duration(ByteReader.of(reader.slice(at, end - at)))
  frames.mp3Min += mp3?.seconds ?? 0
  frames.mp3Max += mp3?.maxSeconds ?? 0
}

/** Returns the duration in seconds of the frames of a track; undefined for unknown codecs. */
export function playedBy(track: Track, frames: Frames): Range | undefined {
  const { codec, rate, aacRate, shortestAac, vorbis } = track
  // The maximum follows from the bytes of all blocks, because a decoder reads all frames of a block.
  const atMost = frames.bytes / MIN_SPEECH_BYTES_PER_SECOND
  if (codec === "A_OPUS") return { min: frames.opusMin, max: frames.opusMax }
  if (codec === "A_MPEG/L3") return { min: frames.mp3Min, max: Math.max(frames.mp3Max, atMost) }
  if (codec === "A_VORBIS") {
    return vorbis && { min: frames.count * vorbis.min, max: frames.count * vorbis.max }
  }
  if (!codec.startsWith("A_AAC")) return undefined
  return {
    min: frames.count * shortestAac,
    max: Math.max((frames.count * AAC_SAMPLES) / Math.min(rate, aacRate), atMost),
  }
}

/** Returns the duration of a Vorbis packet in seconds, from the first header in the codec's private data. */
export function readVorbisHeader(reader: ByteReader, at: number, size: number): Range | undefined {
  const bytes = Buffer.from(reader.slice(at, size))
  const start = bytes.indexOf("\x01vorbis", 0, "latin1")
  const rate = start < 0 || start + 30 > bytes.length ? 0 : bytes.readUInt32LE(start + 12)
  return rate === 0 ? undefined : vorbisSeconds(rate, bytes[start + 28] ?? 0)
}
