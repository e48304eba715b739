import type { ByteReader } from "./byte-reader.ts"
import { audioDuration, type Duration, MAX_PARTS, TooManyParts } from "./duration.ts"
import { mpegFrame } from "../mpeg-frame.ts"
import { AAC_RATES, MAX_MP3_SECONDS, MIN_AAC_RATE } from "./frames.ts"
import { vorbisSeconds } from "./ogg.ts"
import { MAX_PACKET_SECONDS, opusSeconds } from "./opus.ts"

/** Element ids (RFC 9559, 5.1). */
const IDS = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
  simpleBlock: 0xa3,
} as const

/** Elements whose content is read as elements; their ends do not matter, so live files need no special case. */
const CONTAINERS: ReadonlySet<number> = new Set([
  IDS.segment,
  IDS.info,
  IDS.tracks,
  IDS.trackEntry,
  IDS.audio,
  IDS.cluster,
  IDS.blockGroup,
])

interface Track {
  number: number
  isAudio: boolean
  codec: string
  rate: number
  /** By the header of Vorbis; 0 if there is none. */
  vorbisRate: number
  /** Block sizes of Vorbis, as exponents. */
  blockSizes: number
  frames: number
  /** By the headers of the frames, if they were Opus or MP3. */
  opusSeconds: number
  mp3Seconds: number
  /** As the decoder's configuration says; 0 if it does not. */
  aacRate: number
}

interface State {
  scale: number
  claimed: number
  clusterTime: number
  lastTime: number
  blockTime: number
  readonly tracks: Track[]
}

export function webmDuration(reader: ByteReader): Duration | undefined {
  const state: State = {
    scale: 1_000_000,
    claimed: 0,
    clusterTime: 0,
    lastTime: 0,
    blockTime: 0,
    tracks: [],
  }
  let parts = 0
  for (let at = 0; at < reader.size;) {
    if (++parts > MAX_PARTS) throw new TooManyParts()
    const idLength = lengthOf(reader, at)
    const sizeLength = lengthOf(reader, at + idLength)
    if (idLength > 4 || sizeLength > 8) return undefined
    const id = reader.uint(at, idLength)
    const content = at + idLength + sizeLength
    const size = sizeOf(reader, at + idLength, sizeLength)
    if (CONTAINERS.has(id)) {
      if (id === IDS.trackEntry) state.tracks.push(newTrack())
      at = content
      continue
    }
    read(reader, state, { id, at: content, size: Math.min(size, reader.size - content) })
    at = content + size
  }
  return durationOf(state)
}

function durationOf({ scale, claimed, lastTime, tracks }: State): Duration | undefined {
  const time = (Math.max(lastTime, 0) * scale) / 1e9
  const claim = Math.max(time, (claimed * scale) / 1e9)
  const hasVideo = tracks.some(({ isAudio }) => !isAudio)
  let max = 0
  for (const track of tracks) {
    if (!track.isAudio || track.frames === 0) continue
    const seconds = maxOf(track)
    if (seconds === undefined) return undefined
    max = Math.max(max, seconds)
  }
  if (max === 0 && claim === 0) return undefined
  const { seconds, maxSeconds } = audioDuration({ min: 0, max: Math.max(max, time) }, claim)
  return { seconds: seconds || max, maxSeconds, hasVideo }
}

/** The most that the frames of a track can play; undefined for unknown codecs. */
function maxOf(track: Track): number | undefined {
  const { codec, rate, aacRate, blockSizes, frames } = track
  if (codec === "A_OPUS") return track.opusSeconds
  if (codec === "A_MPEG/L3") return track.mp3Seconds
  if (codec === "A_VORBIS") return frames * vorbisSeconds(track.vorbisRate || rate, blockSizes).max
  if (codec.startsWith("A_AAC")) return (frames * 1_024) / Math.min(rate, aacRate || MIN_AAC_RATE)
  return undefined
}

function newTrack(): Track {
  return {
    number: 0,
    isAudio: false,
    codec: "",
    rate: 8_000,
    aacRate: 0,
    vorbisRate: 0,
    blockSizes: 0xdd,
    frames: 0,
    opusSeconds: 0,
    mp3Seconds: 0,
  }
}

interface Element {
  readonly id: number
  readonly at: number
  readonly size: number
}

function read(reader: ByteReader, state: State, { id, at, size }: Element): void {
  const track = state.tracks.at(-1)
  const value = (): number => reader.uint(at, Math.min(size, 7))
  if (id === IDS.timestampScale) state.scale = Math.max(1, value())
  else if (id === IDS.duration) state.claimed = Math.max(state.claimed, float(reader, at, size))
  else if (id === IDS.timestamp) state.clusterTime = value()
  else if (id === IDS.simpleBlock || id === IDS.block) readBlock(reader, state, at, size)
  else if (id === IDS.blockDuration) {
    state.lastTime = Math.max(state.lastTime, state.blockTime + value())
  } else if (track === undefined) return
  else if (id === IDS.trackNumber) track.number = value()
  else if (id === IDS.trackType) track.isAudio = value() === 2
  else if (id === IDS.codecId)
    track.codec = reader.text(at, Math.min(size, 64)).replaceAll("\0", "")
  else if (id === IDS.samplingFrequency) track.rate = float(reader, at, size) || track.rate
  else if (id === IDS.codecPrivate) {
    const start = reader.text(at, Math.min(size, 64)).indexOf("\x01vorbis")
    if (start >= 0) {
      track.blockSizes = reader.byte(at + start + 28)
      track.vorbisRate = reader.uintLittle(at + start + 12, 4)
    }
    track.aacRate = AAC_RATES[(reader.uint(at, 2) >> 7) & 15] ?? 0
  }
}

/** Counts the frames of a block (RFC 9559, 10). */
function readBlock(reader: ByteReader, state: State, at: number, size: number): void {
  const numberLength = lengthOf(reader, at)
  const number = sizeOf(reader, at, numberLength)
  const header = at + numberLength
  const relative = (reader.uint(header, 2) << 16) >> 16
  state.blockTime = state.clusterTime + relative
  state.lastTime = Math.max(state.lastTime, state.blockTime)
  const track = state.tracks.find((one) => one.number === number)
  if (track === undefined) return
  const isLaced = (reader.byte(header + 2) & 6) !== 0
  const frames = isLaced ? reader.byte(header + 3) + 1 : 1
  track.frames += frames
  const isEmpty = size <= numberLength + 3
  const single = isEmpty
    ? MAX_PACKET_SECONDS
    : opusSeconds(reader.byte(header + 3), reader.byte(header + 4))
  const mp3 = mpegFrame(reader.byte(header + 3), reader.byte(header + 4), reader.byte(header + 5))
  track.mp3Seconds += frames * (isLaced ? MAX_MP3_SECONDS : (mp3?.seconds ?? MAX_MP3_SECONDS))
  track.opusSeconds += isLaced ? frames * MAX_PACKET_SECONDS : single
}

/** Bytes of a variable-length number: its leading zeros and one. */
function lengthOf(reader: ByteReader, at: number): number {
  return Math.clz32(reader.byte(at)) - 23
}

/** The value without the marker; all ones means unknown, which reads as an empty element. */
function sizeOf(reader: ByteReader, at: number, length: number): number {
  const most = 2 ** (7 * length) - 1
  const value = length === 8 ? reader.uint(at + 1, 7) : reader.uint(at, length) - 2 ** (7 * length)
  return value === most ? 0 : value
}

function float(reader: ByteReader, at: number, size: number): number {
  if (size !== 4 && size !== 8) return 0
  const view = new DataView(new ArrayBuffer(8))
  for (let index = 0; index < size; index++) view.setUint8(index, reader.byte(at + index))
  const value = size === 4 ? view.getFloat32(0) : view.getFloat64(0)
  return Number.isFinite(value) && value > 0 ? value : 0
}
