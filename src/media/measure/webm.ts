import type { ByteReader } from "./byte-reader.ts"
import { audioDuration, type Duration, MAX_PARTS, TooManyParts } from "./duration.ts"
import { aacRate, shortestAacFrame } from "./mp4-sample-entry.ts"
import {
  addFrames,
  type Frames,
  newTrack,
  NO_FRAMES,
  playedBy,
  readVorbisHeader,
  type Track,
} from "./webm-track.ts"

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
  contentEncodings: 0x6d80,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
  simpleBlock: 0xa3,
} as const

/**
 * Elements whose content is read as elements. Their ends are ignored, so live files, whose ends are unknown, need no
 * special case.
 */
const CONTAINERS: ReadonlySet<number> = new Set([
  IDS.segment,
  IDS.info,
  IDS.tracks,
  IDS.trackEntry,
  IDS.audio,
  IDS.cluster,
  IDS.blockGroup,
])

/** Ids of elements at which a decoder may resume after unknown bytes: information, tracks and clusters. */
const STARTS = ["\x15\x49\xa9\x66", "\x16\x54\xae\x6b", "\x1f\x43\xb6\x75"] as const
const START_IDS: ReadonlySet<number> = new Set([IDS.info, IDS.tracks, IDS.cluster])

interface State {
  /** Nanoseconds per tick; 0 if unspecified. */
  scale: number
  claimed: number
  clusterTime: number
  lastTime: number
  blockTime: number
  readonly tracks: Track[]
  /** The track whose description is being read. `trackEnd` is the end of the description. */
  track: Track | undefined
  trackEnd: number
  /** Frames by track number. A track may be described after its frames. */
  readonly frames: Map<number, Frames>
  /** Whether the frames are stored unchanged. */
  isPlain: boolean
  parts: number
  /** Offsets of elements in `STARTS` that have been read. */
  readonly seen: Set<number>
}

export function webmDuration(reader: ByteReader): Duration | undefined {
  const state: State = {
    scale: 0,
    claimed: 0,
    clusterTime: 0,
    lastTime: 0,
    blockTime: 0,
    tracks: [],
    track: undefined,
    trackEnd: 0,
    frames: new Map(),
    isPlain: true,
    parts: 0,
    seen: new Set(),
  }
  if (!walk(reader, state, 0)) return undefined
  // Lengths of elements are not trusted, so the apparent content of an element may also be read as elements.
  for (const start of STARTS) {
    for (let at = 0; (at = reader.findText(start, at)) < reader.size; at++) {
      if (!state.seen.has(at)) walk(reader, state, at)
    }
  }
  return state.isPlain ? durationOf(state) : undefined
}

/**
 * Reads elements in sequence until it reaches an element that was read before.
 * @returns whether all elements could be read.
 */
function walk(reader: ByteReader, state: State, start: number): boolean {
  state.trackEnd = 0
  for (let at = start; at < reader.size;) {
    if (++state.parts > MAX_PARTS) throw new TooManyParts()
    const idLength = ebmlLength(reader, at)
    const sizeLength = ebmlLength(reader, at + idLength)
    if (idLength > 4 || sizeLength > 8) return false
    const id = reader.uint(at, idLength)
    if (START_IDS.has(id)) {
      if (state.seen.has(at)) return true
      state.seen.add(at)
    }
    const content = at + idLength + sizeLength
    const size = ebmlSize(reader, at + idLength, sizeLength)
    if (CONTAINERS.has(id)) {
      if (id === IDS.cluster) state.trackEnd = 0
      if (id === IDS.trackEntry) {
        state.track = newTrack()
        state.tracks.push(state.track)
        state.trackEnd = size === 0 ? Infinity : content + size
      }
      at = content
      continue
    }
    read(reader, state, { id, at: content, size: Math.min(size, reader.size - content) })
    at = content + size
  }
  return true
}

function durationOf({ scale, claimed, lastTime, tracks, frames }: State): Duration | undefined {
  const tick = (scale || 1_000_000) / 1e9
  const time = Math.max(lastTime, 0) * tick
  const claim = Math.max(time, claimed * tick)
  const hasVideo = tracks.some(({ isAudio }) => !isAudio)
  let min = 0
  let max = 0
  for (const track of tracks) {
    if (!track.isAudio && !track.codec.startsWith("A_")) continue
    for (const number of track.numbers) {
      const counted = frames.get(number)
      if (counted === undefined) continue
      const played = playedBy(track, counted)
      if (played === undefined) return undefined
      min = Math.max(min, played.min)
      max = Math.max(max, played.max)
    }
  }
  if (max === 0 && claim === 0) return undefined
  return { ...audioDuration({ min, max: Math.max(max, time) }, claim), hasVideo }
}

interface Element {
  readonly id: number
  readonly at: number
  readonly size: number
}

function read(reader: ByteReader, state: State, { id, at, size }: Element): void {
  const track = at < state.trackEnd ? state.track : undefined
  const value = (): number => reader.uint(at, Math.min(size, 7))
  if (id === IDS.timestampScale) state.scale = Math.max(1, state.scale, value())
  else if (id === IDS.duration) state.claimed = Math.max(state.claimed, ebmlFloat(reader, at, size))
  else if (id === IDS.timestamp) state.clusterTime = value()
  else if (id === IDS.simpleBlock || id === IDS.block) readBlock(reader, state, at, size)
  else if (id === IDS.contentEncodings) state.isPlain = false
  else if (id === IDS.blockDuration) {
    state.lastTime = Math.max(state.lastTime, state.blockTime + value())
  } else if (track === undefined) return
  else if (id === IDS.trackNumber) track.numbers.push(value())
  else if (id === IDS.trackType) track.isAudio = value() === 2
  else if (id === IDS.codecId)
    track.codec = reader.text(at, Math.min(size, 64)).replaceAll("\0", "")
  else if (id === IDS.samplingFrequency) track.rate = ebmlFloat(reader, at, size) || track.rate
  else if (id === IDS.codecPrivate) {
    track.vorbis = readVorbisHeader(reader, at, size)
    track.aacRate = aacRate(reader, at)
    track.shortestAac = shortestAacFrame(reader, at)
  }
}

/** Counts the frames of a block (RFC 9559, 10). */
function readBlock(reader: ByteReader, state: State, at: number, size: number): void {
  const numberLength = ebmlLength(reader, at)
  const number = ebmlSize(reader, at, numberLength)
  const header = at + numberLength
  const relative = (reader.uint(header, 2) << 16) >> 16
  state.blockTime = state.clusterTime + relative
  state.lastTime = Math.max(state.lastTime, state.blockTime)
  const frames = state.frames.get(number) ?? { ...NO_FRAMES }
  state.frames.set(number, frames)
  const isLaced = (reader.byte(header + 2) & 6) !== 0
  addFrames(frames, reader, { at: header + 3, end: at + size, isLaced })
}

/**
 * Returns the length in bytes of a variable-length number, which is the number of its leading zeros plus 1 (RFC 8794,
 * 4).
 */
function ebmlLength(reader: ByteReader, at: number): number {
  return Math.clz32(reader.byte(at)) - 23
}

/**
 * Returns a variable-length number without its marker bit. If all bits are one, the size is unknown and the element is
 * read as empty.
 */
function ebmlSize(reader: ByteReader, at: number, length: number): number {
  const most = 2 ** (7 * length) - 1
  const value = length === 8 ? reader.uint(at + 1, 7) : reader.uint(at, length) - 2 ** (7 * length)
  return value === most ? 0 : value
}

/** Reads a float of four or eight bytes; 0 if it is not positive. */
function ebmlFloat(reader: ByteReader, at: number, size: number): number {
  if (size !== 4 && size !== 8) return 0
  const view = new DataView(new ArrayBuffer(8))
  for (let index = 0; index < size; index++) view.setUint8(index, reader.byte(at + index))
  const value = size === 4 ? view.getFloat32(0) : view.getFloat64(0)
  return Number.isFinite(value) && value > 0 ? value : 0
}
