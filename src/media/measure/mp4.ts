import type { ByteReader } from "./byte-reader.ts"
import { audioDuration, type Duration, MAX_PARTS, type Range, TooManyParts } from "./duration.ts"
import { readSampleEntry, type SampleEntry } from "./mp4-sample-entry.ts"

const MAX_DEPTH = 10

/** Types of boxes that decoders search for: a track, and the part of a track in a fragment. */
const TRACKS = ["trak", "traf"] as const

interface Track {
  /** Ticks per second and the number of ticks, from the header of the track. */
  timescale: number
  ticks: number
  isSound: boolean
  isVideo: boolean
  /** The codec properties of the track, from all descriptions of its samples. */
  readonly entries: (SampleEntry | undefined)[]
  /** Number of ticks and samples in the table of times. */
  timedTicks: number
  timedSamples: number
  /** Number of samples, and their bytes, in the table of sizes. */
  samples: number
  bytes: number
  /** Whether each sample has a duration of one tick. The chunks then determine the number of samples. */
  isEven: boolean
  chunks: number
  chunkSamples: number
  /** Duration of the edits, in ticks of the movie header. */
  editTicks: number
}

interface Fragment {
  track: number
  samples: number
  bytes: number
  ticks: number
  defaultTicks: number
  defaultBytes: number
}

/** The data of all boxes of a file, regardless of their order. */
class Movie {
  timescale = 0
  ticks = 0
  readonly tracks: Track[] = []
  readonly ids: number[] = []
  /** Default ticks and bytes of a sample in a fragment, by track. */
  readonly defaults = new Map<number, { readonly ticks: number; readonly bytes: number }>()
  /** Offsets of boxes in `TRACKS` that have been read. */
  readonly seen = new Set<number>()
  readonly fragments: Fragment[] = []
  boxes = 0
  isReadable = true
}

export function mp4Duration(reader: ByteReader): Duration | undefined {
  const movie = new Movie()
  walk(reader, movie, { start: 0, end: reader.size, depth: 0 })
  // Lengths of boxes are not trusted, so the apparent content of a box may also be read as boxes.
  for (const type of TRACKS) {
    for (let at = 4; (at = reader.findText(type, at)) < reader.size; at++) {
      if (!movie.seen.has(at - 4))
        readBox(reader, movie, { start: at - 4, end: reader.size, depth: 1 })
    }
  }
  if (!movie.isReadable || movie.tracks.length === 0) return undefined
  let audio: Duration | undefined
  let video = 0
  for (const [index, track] of movie.tracks.entries()) {
    const fragments = movie.fragments.filter((one) => one.track === movie.ids[index])
    if (track.isSound) {
      const one = soundDuration(reader, movie, track, fragments)
      if (one === undefined) return undefined
      if (audio === undefined || one.maxSeconds > audio.maxSeconds) audio = one
    }
    if (track.isVideo) {
      video = Math.max(video, timeOf(movie, track, fragments))
    }
  }
  const claimed = movie.timescale === 0 ? 0 : movie.ticks / movie.timescale
  const seconds = Math.max(video, audio?.seconds ?? 0)
  if (seconds === 0) return undefined
  const maxSeconds = Math.max(video, audio?.maxSeconds ?? 0, claimed)
  return { seconds, maxSeconds, hasVideo: movie.tracks.some(({ isVideo }) => isVideo) }
}

const NO_BYTES: Range = { min: Infinity, max: Infinity }

function soundDuration(
  reader: ByteReader,
  movie: Movie,
  track: Track,
  fragments: readonly Fragment[],
): Duration | undefined {
  const inChunks = track.isEven ? track.chunks * track.chunkSamples : 0
  let count = Math.max(track.samples, track.timedSamples, inChunks)
  let bytes = track.isEven ? Math.max(track.bytes, reader.size) : track.bytes
  for (const fragment of fragments) {
    count += fragment.samples
    bytes += fragment.bytes
  }
  if (count === 0) return { seconds: 0, maxSeconds: 0, hasVideo: false }
  let min = Infinity
  let max = 0
  for (const entry of track.entries) {
    if (entry === undefined) return undefined
    const { maxSampleSeconds, minSampleSeconds, bytesPerSecond = NO_BYTES } = entry
    min = Math.min(min, Math.max(count * minSampleSeconds, bytes / bytesPerSecond.max))
    max = Math.max(max, count * maxSampleSeconds, bytes / bytesPerSecond.min)
  }
  if (max === 0) return undefined
  return audioDuration({ min, max }, timeOf(movie, track, fragments))
}

/** Returns the duration in seconds by all timestamps of a track. */
function timeOf(movie: Movie, track: Track, fragments: readonly Fragment[]): number {
  const { timescale } = track
  if (timescale === 0) return 0
  const inFragments = fragments.reduce((sum, { ticks }) => sum + ticks, 0)
  const edits = movie.timescale === 0 ? 0 : track.editTicks / movie.timescale
  return Math.max((track.timedTicks + inFragments) / timescale, track.ticks / timescale, edits)
}

interface Span {
  readonly start: number
  readonly end: number
  readonly depth: number
}

function walk(reader: ByteReader, movie: Movie, { start, end, depth }: Span): void {
  for (let at = start; at + 8 <= end;) {
    const size = readBox(reader, movie, { start: at, end, depth })
    if (size === 0) return
    at += size
  }
}

/**
 * Reads a box.
 * @returns the size in the header of the box, in bytes; 0 if it is not a box.
 */
function readBox(reader: ByteReader, movie: Movie, { start, end, depth }: Span): number {
  if (++movie.boxes > MAX_PARTS) throw new TooManyParts()
  const short = reader.uint(start, 4)
  const type = reader.text(start + 4, 4)
  const header = short === 1 ? 16 : 8
  const size = short === 1 ? reader.uint(start + 9, 7) : short === 0 ? end - start : short
  if (size < header) return 0
  const content = { start: start + header, end: Math.min(end, start + size), depth: depth + 1 }
  if (type === "trak" || type === "traf") movie.seen.add(start)
  if (type === "trak") movie.tracks.push(newTrack())
  const read = READERS[type]
  const readTrack = TRACK_READERS[type]
  if (read !== undefined) read(reader, movie, content)
  else if (readTrack !== undefined) {
    const track = movie.tracks.at(-1)
    if (track) readTrack(reader, track, content)
  }
  // Any other box may contain boxes, because some decoders read boxes that others skip.
  else if (depth < MAX_DEPTH && type !== "mdat") walk(reader, movie, content)
  return size
}

function newTrack(): Track {
  return {
    timescale: 0,
    ticks: 0,
    isSound: false,
    isVideo: false,
    entries: [],
    timedTicks: 0,
    timedSamples: 0,
    samples: 0,
    bytes: 0,
    isEven: false,
    chunks: 0,
    chunkSamples: 0,
    editTicks: 0,
  }
}

type Reader<State> = (reader: ByteReader, state: State, span: Span) => void

/**
 * Reads each type of box. Values of later boxes of the same type are added, or replace smaller values, so that no box
 * hides another.
 */
const READERS: Readonly<Record<string, Reader<Movie>>> = {
  mvhd(reader, movie, { start }) {
    const { timescale, ticks } = headerTimes(reader, start)
    movie.timescale = movie.timescale === 0 ? timescale : Math.min(movie.timescale, timescale)
    movie.ticks = Math.max(movie.ticks, ticks)
  },
  tkhd(reader, movie, { start }) {
    movie.ids[movie.tracks.length - 1] = reader.uint(
      start + (reader.byte(start) === 1 ? 20 : 12),
      4,
    )
  },
  trex(reader, movie, { start }) {
    const defaults = { ticks: reader.uint(start + 12, 4), bytes: reader.uint(start + 16, 4) }
    movie.defaults.set(reader.uint(start + 4, 4), defaults)
  },
  tfhd(reader, movie, { start }) {
    const flags = reader.uint(start + 1, 3)
    const track = reader.uint(start + 4, 4)
    const at = start + 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0)
    const defaults = movie.defaults.get(track)
    const defaultTicks = flags & 8 ? reader.uint(at, 4) : (defaults?.ticks ?? 0)
    const sizeAt = at + (flags & 8 ? 4 : 0)
    const defaultBytes = flags & 16 ? reader.uint(sizeAt, 4) : (defaults?.bytes ?? 0)
    movie.fragments.push({ track, samples: 0, bytes: 0, ticks: 0, defaultTicks, defaultBytes })
  },
  trun(reader, movie, { start, end }) {
    const fragment = movie.fragments.at(-1)
    if (!fragment) return
    const flags = reader.uint(start + 1, 3)
    const count = reader.uint(start + 4, 4)
    const first = start + 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0)
    const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length
    fragment.samples += count
    const hasTicks = (flags & 0x100) !== 0
    const hasSizes = (flags & 0x200) !== 0
    if (!hasTicks) fragment.ticks += count * fragment.defaultTicks
    if (!hasSizes) fragment.bytes += count * fragment.defaultBytes
    if (!hasTicks && !hasSizes) return
    const sizeAt = hasTicks ? 4 : 0
    for (let at = first, index = 0; index < count && at + 4 <= end; index++, at += 4 * fields) {
      if (hasTicks) fragment.ticks += reader.uint(at, 4)
      if (hasSizes) fragment.bytes += reader.uint(at + sizeAt, 4)
    }
  },
  cmov(_, movie) {
    // The complete movie header is compressed, so the file cannot be measured.
    movie.isReadable = false
  },
}

/** Reads each type of box that describes the preceding track. The same rule applies to its values. */
const TRACK_READERS: Readonly<Record<string, Reader<Track>>> = {
  mdhd(reader, track, { start }) {
    Object.assign(track, headerTimes(reader, start))
  },
  hdlr(reader, track, { start }) {
    const handler = reader.text(start + 8, 4)
    if (handler === "soun") track.isSound = true
    if (handler === "vide") track.isVideo = true
  },
  stsd(reader, track, { start, end }) {
    let at = start + 8
    do {
      const size = Math.max(8, reader.uint(at, 4))
      track.entries.push(readSampleEntry(reader, at, Math.min(end, at + size)))
      at += size
    } while (at + 8 <= end && track.entries.length < reader.uint(start + 4, 4))
  },
  stts(reader, track, { start, end }) {
    for (const at of entriesOf(reader, start, end, 8)) {
      const count = reader.uint(at, 4)
      const ticks = reader.uint(at + 4, 4)
      track.timedSamples += count
      track.timedTicks += count * ticks
      if (ticks === 1) track.isEven = true
    }
  },
  stsz(reader, track, { start, end }) {
    const even = reader.uint(start + 4, 4)
    const count = reader.uint(start + 8, 4)
    track.samples += count
    track.bytes += even * count
    if (even > 0) return
    for (let at = start + 12, index = 0; index < count && at + 4 <= end; index++, at += 4) {
      track.bytes += reader.uint(at, 4)
    }
  },
  stz2(reader, track, { start }) {
    track.samples += reader.uint(start + 8, 4)
    track.bytes = Math.max(track.bytes, reader.size)
  },
  stsc(reader, track, { start, end }) {
    for (const at of entriesOf(reader, start, end, 12)) {
      track.chunkSamples = Math.max(track.chunkSamples, reader.uint(at + 4, 4))
    }
  },
  elst(reader, track, { start, end }) {
    const isLong = reader.byte(start) === 1
    for (const at of entriesOf(reader, start, end, isLong ? 20 : 12)) {
      track.editTicks += isLong ? reader.uint(at + 1, 7) : reader.uint(at, 4)
    }
  },
  stco: readChunkCount,
  co64: readChunkCount,
}

function readChunkCount(reader: ByteReader, track: Track, { start }: Span): void {
  track.chunks += reader.uint(start + 4, 4)
}

/**
 * Reads the ticks per second and the number of ticks of a movie or a track. If all bits are one, the number is unknown.
 */
function headerTimes(reader: ByteReader, start: number) {
  const isLong = reader.byte(start) === 1
  const timescale = reader.uint(start + (isLong ? 20 : 12), 4)
  const isUnknown = reader.uint(start + (isLong ? 24 : 16), 4) === 0xffff_ffff
  const ticks = isUnknown ? 0 : isLong ? reader.uint(start + 25, 7) : reader.uint(start + 16, 4)
  return { timescale, ticks }
}

/** Yields the offsets of the entries of a table, up to the end of its box. */
function* entriesOf(
  reader: ByteReader,
  start: number,
  end: number,
  bytes: number,
): Generator<number> {
  const count = reader.uint(start + 4, 4)
  for (let index = 0, at = start + 8; index < count && at + bytes <= end; index++, at += bytes) {
    yield at
  }
}
