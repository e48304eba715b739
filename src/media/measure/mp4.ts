import type { ByteReader } from "./byte-reader.ts"
import { audioDuration, type Duration, MAX_PARTS, TooManyParts } from "./duration.ts"
import { readSampleEntry, type SampleEntry } from "./mp4-sample-entry.ts"

/** Boxes that only hold other boxes (ISO 14496-12). */
const CONTAINERS: ReadonlySet<string> = new Set([
  "moov",
  "trak",
  "mdia",
  "minf",
  "stbl",
  "edts",
  "mvex",
  "moof",
  "traf",
])
const MAX_DEPTH = 10

interface Track {
  /** In its header: ticks a second, and ticks. */
  timescale: number
  ticks: number
  handler: string
  entry: SampleEntry | undefined
  /** Ticks and samples by the table of times. */
  timedTicks: number
  timedSamples: number
  /** Samples by the table of sizes. */
  samples: number
  /** Of edits, in ticks of the movie. */
  editTicks: number
}

interface Fragment {
  track: number
  samples: number
  ticks: number
  defaultTicks: number
}

/** Everything that boxes say, whatever the order in which they come. */
class Movie {
  timescale = 0
  ticks = 0
  readonly tracks: Track[] = []
  readonly ids: number[] = []
  /** Default ticks of a sample in a fragment, by track. */
  readonly defaults = new Map<number, number>()
  readonly fragments: Fragment[] = []
  boxes = 0
  isReadable = true
}

export function mp4Duration(reader: ByteReader): Duration | undefined {
  const movie = new Movie()
  walk(reader, movie, { start: 0, end: reader.size, depth: 0 })
  if (!movie.isReadable || movie.tracks.length === 0) return undefined
  let audio: Duration | undefined
  let video = 0
  for (const [index, track] of movie.tracks.entries()) {
    const fragments = movie.fragments.filter((one) => one.track === movie.ids[index])
    if (track.handler === "soun") {
      const one = soundDuration(movie, track, fragments)
      if (one === undefined) return undefined
      if (audio === undefined || one.maxSeconds > audio.maxSeconds) audio = one
    } else if (track.handler === "vide") {
      video = Math.max(video, timeOf(movie, track, fragments))
    }
  }
  const claimed = movie.timescale === 0 ? 0 : movie.ticks / movie.timescale
  const seconds = Math.max(video, audio?.seconds ?? 0)
  if (seconds === 0) return undefined
  const maxSeconds = Math.max(video, audio?.maxSeconds ?? 0, claimed)
  return { seconds, maxSeconds, hasVideo: movie.tracks.some(({ handler }) => handler === "vide") }
}

function soundDuration(
  movie: Movie,
  track: Track,
  fragments: readonly Fragment[],
): Duration | undefined {
  const samples = fragments.reduce((sum, one) => sum + one.samples, 0)
  const count = Math.max(track.samples, track.timedSamples) + samples
  if (count === 0) return { seconds: 0, maxSeconds: 0, hasVideo: false }
  if (track.entry === undefined) return undefined
  const max = count * track.entry.maxSampleSeconds
  return audioDuration({ min: 0, max }, timeOf(movie, track, fragments))
}

/** Seconds by all timestamps of a track. */
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
    if (++movie.boxes > MAX_PARTS) throw new TooManyParts()
    const short = reader.uint(at, 4)
    const type = reader.text(at + 4, 4)
    const header = short === 1 ? 16 : 8
    const size = short === 1 ? reader.uint(at + 9, 7) : short === 0 ? end - at : short
    if (size < header) return
    const content = { start: at + header, end: Math.min(end, at + size), depth: depth + 1 }
    if (type === "trak") movie.tracks.push(newTrack())
    if (CONTAINERS.has(type)) {
      if (depth >= MAX_DEPTH) throw new TooManyParts()
      walk(reader, movie, content)
    } else READERS[type]?.(reader, movie, content)
    at += size
  }
}

function newTrack(): Track {
  return {
    timescale: 0,
    ticks: 0,
    handler: "",
    entry: undefined,
    timedTicks: 0,
    timedSamples: 0,
    samples: 0,
    editTicks: 0,
  }
}

type Reader = (reader: ByteReader, movie: Movie, span: Span) => void

/** What is read of each box. Later boxes of a kind add up or replace smaller values, so that none hides another. */
const READERS: Readonly<Record<string, Reader>> = {
  mvhd(reader, movie, { start }) {
    const { timescale, ticks } = headerTimes(reader, start)
    movie.timescale = movie.timescale === 0 ? timescale : Math.min(movie.timescale, timescale)
    movie.ticks = Math.max(movie.ticks, ticks)
  },
  mdhd(reader, movie, { start }) {
    const track = movie.tracks.at(-1)
    if (track) Object.assign(track, headerTimes(reader, start))
  },
  tkhd(reader, movie, { start }) {
    movie.ids[movie.tracks.length - 1] = reader.uint(
      start + (reader.byte(start) === 1 ? 20 : 12),
      4,
    )
  },
  hdlr(reader, movie, { start }) {
    const track = movie.tracks.at(-1)
    if (track && track.handler === "") track.handler = reader.text(start + 8, 4)
  },
  stsd(reader, movie, span) {
    const track = movie.tracks.at(-1)
    if (track?.handler !== "soun") return
    const entry = readSampleEntry(reader, span.start + 8, span.end)
    if (entry === undefined) movie.isReadable = false
    const longest = Math.max(entry?.maxSampleSeconds ?? 0, track.entry?.maxSampleSeconds ?? 0)
    track.entry = { maxSampleSeconds: longest }
  },
  stts(reader, movie, { start, end }) {
    const track = movie.tracks.at(-1)
    if (!track) return
    for (const at of entriesOf(reader, start, end, 8)) {
      const count = reader.uint(at, 4)
      track.timedSamples += count
      track.timedTicks += count * reader.uint(at + 4, 4)
    }
  },
  stsz: readSampleCount,
  stz2: readSampleCount,
  elst(reader, movie, { start, end }) {
    const track = movie.tracks.at(-1)
    const isLong = reader.byte(start) === 1
    if (!track) return
    for (const at of entriesOf(reader, start, end, isLong ? 20 : 12)) {
      track.editTicks += isLong ? reader.uint(at + 1, 7) : reader.uint(at, 4)
    }
  },
  trex(reader, movie, { start }) {
    movie.defaults.set(reader.uint(start + 4, 4), reader.uint(start + 12, 4))
  },
  tfhd(reader, movie, { start }) {
    const flags = reader.uint(start + 1, 3)
    const track = reader.uint(start + 4, 4)
    const at = start + 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0)
    const defaultTicks = flags & 8 ? reader.uint(at, 4) : (movie.defaults.get(track) ?? 0)
    movie.fragments.push({ track, samples: 0, ticks: 0, defaultTicks })
  },
  trun(reader, movie, { start, end }) {
    const fragment = movie.fragments.at(-1)
    if (!fragment) return
    const flags = reader.uint(start + 1, 3)
    const count = reader.uint(start + 4, 4)
    const first = start + 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0)
    const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length
    fragment.samples += count
    if ((flags & 0x100) === 0) {
      fragment.ticks += count * fragment.defaultTicks
      return
    }
    for (let at = first, index = 0; index < count && at + 4 <= end; index++, at += 4 * fields) {
      fragment.ticks += reader.uint(at, 4)
    }
  },
  cmov(_, movie) {
    // The whole movie header is compressed.
    movie.isReadable = false
  },
}

function readSampleCount(reader: ByteReader, movie: Movie, { start }: Span): void {
  const track = movie.tracks.at(-1)
  if (track) track.samples += reader.uint(start + 8, 4)
}

/** Ticks a second and ticks, of a movie or a track. All ones: unknown. */
function headerTimes(reader: ByteReader, start: number) {
  const isLong = reader.byte(start) === 1
  const timescale = reader.uint(start + (isLong ? 20 : 12), 4)
  const isUnknown = reader.uint(start + (isLong ? 24 : 16), 4) === 0xffff_ffff
  const ticks = isUnknown ? 0 : isLong ? reader.uint(start + 25, 7) : reader.uint(start + 16, 4)
  return { timescale, ticks }
}

/** Where the entries of a table start, as far as it has room for them. */
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
