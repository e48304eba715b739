import { ByteReader } from "./byte-reader.ts"
import { audioDuration, type Duration, MAX_PARTS, type Range, TooManyParts } from "./duration.ts"
import { flacFramesSeconds, readFlacInfo } from "./flac.ts"
import { MAX_PACKET_SECONDS, opusSeconds } from "./opus.ts"

/** One logical stream of an Ogg file. */
interface OggStream {
  codec: Codec
  /** Number of remaining packets at the start that may be headers. */
  headers: number
  min: number
  max: number
  /** The last position in the stream, in samples. */
  granule: number
  /** Contents of pages in file order, for codecs whose frames are searched for in all bytes. */
  readonly pages: { readonly bytes: Uint8Array; readonly isWhole: boolean }[]
}

/** The rules for counting the packets of a codec. */
interface Codec {
  readonly name: "opus" | "vorbis" | "flac"
  /** Samples per second. Positions are counted in samples. */
  readonly rate: number
  /** Samples at the start that are not played. */
  readonly skip: number
  /** The first bytes of each header packet. */
  readonly headers: readonly string[]
  /** The duration of each packet in seconds, if all packets have the same duration. */
  readonly even?: Range
}

/**
 * Returns the duration of an Ogg file.
 * @returns undefined if the file has a stream with an unknown codec.
 */
export function oggDuration(reader: ByteReader): Duration | undefined {
  const streams = new Map<number, OggStream>()
  const ended: OggStream[] = []
  let slowest: Range = { min: 0, max: 0 }
  let parts = 0
  for (let at = 0; at < reader.size;) {
    if (++parts > MAX_PARTS) throw new TooManyParts()
    if (reader.text(at, 4) !== "OggS") {
      at = reader.find(0x4f, at + 1)
      continue
    }
    const content = at + 27 + reader.byte(at + 26)
    const isFirst = (reader.byte(at + 5) & 2) !== 0
    const serial = reader.uintLittle(at + 14, 4)
    const before = streams.get(serial)
    let stream = isFirst ? undefined : before
    if (stream === undefined) {
      let codec = codecOf(reader, content)
      if (codec === undefined) return undefined
      if (codec.even !== undefined) {
        // Some decoders keep the values from the first header of a file.
        slowest = longer(slowest, codec.even)
        codec = { ...codec, even: slowest }
      }
      if (before !== undefined) ended.push(before)
      // Some decoders treat later headers of a stream as audio.
      const headers = before === undefined ? codec.headers.length : 0
      stream = { codec, headers, min: 0, max: 0, granule: 0, pages: [] }
      streams.set(serial, stream)
    }
    const end = content + countPackets(reader, at, content, stream)
    const high = reader.uintLittle(at + 10, 4)
    // A position of minus one means that no packet ends on this page.
    if (high < 0x8000_0000) {
      const granule = high * 2 ** 32 + reader.uintLittle(at + 6, 4)
      stream.granule = Math.max(stream.granule, granule)
    }
    // A page may begin in the last bytes of an invalid page.
    const hasPages = reader.findText("OggS", at + 4) < end
    const page = Buffer.from(reader.slice(at, end - at))
    const isFlac = stream.codec.name === "flac"
    const isWhole = (hasPages || isFlac) && page.length === end - at && hasChecksum(page)
    if (isFlac) stream.pages.push({ bytes: page.subarray(content - at), isWhole })
    at = hasPages && !isWhole ? at + 4 : end
  }
  return together([...ended, ...streams.values()])
}

function longer(one: Range, other: Range): Range {
  return { min: Math.max(one.min, other.min), max: Math.max(one.max, other.max) }
}

/**
 * Reports whether a page has the known version and a valid checksum (RFC 3533, 6). The checksum covers the whole page,
 * with its own field set to zero. Decoders skip only valid pages. They search the content of invalid pages for further
 * pages.
 */
function hasChecksum(page: Buffer): boolean {
  let crc = 0
  for (let at = 0; at < page.length; at++) {
    const byte = at >= 22 && at < 26 ? 0 : (page[at] ?? 0)
    crc = (crc << 8) ^ (CHECKSUMS[(crc >>> 24) ^ byte] ?? 0)
  }
  return page[4] === 0 && crc >>> 0 === page.readUInt32LE(22)
}

const CHECKSUMS = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  return crc
})

/**
 * Counts the packets that start on a page.
 * @returns the size of the page's content in bytes.
 */
function countPackets(
  reader: ByteReader,
  page: number,
  content: number,
  stream: OggStream,
): number {
  const segments = reader.byte(page + 26)
  let isInside = (reader.byte(page + 5) & 1) !== 0
  let offset = 0
  let start = 0
  for (let segment = 0; segment < segments; segment++) {
    const length = reader.byte(page + 27 + segment)
    offset += length
    if (length === 255 && segment < segments - 1) continue
    if (!isInside) countPacket(reader, content + start, offset - start, stream)
    isInside = false
    start = offset
  }
  return offset
}

function countPacket(reader: ByteReader, at: number, length: number, stream: OggStream): void {
  const { codec } = stream
  const header = stream.headers === 0 ? undefined : codec.headers.at(-stream.headers)
  if (header !== undefined) {
    stream.headers--
    if (reader.text(at, header.length) === header) return
  }
  const { min, max } =
    codec.even ?? (codec.name === "opus" ? packetRange(reader, at, length) : NONE)
  stream.min += min
  stream.max += max
}

const NONE: Range = { min: 0, max: 0 }

function packetRange(reader: ByteReader, at: number, length: number): Range {
  if (length === 0) return { min: 0, max: MAX_PACKET_SECONDS }
  const seconds = opusSeconds(reader.byte(at), length > 1 ? reader.byte(at + 1) : 0)
  return { min: seconds, max: seconds }
}

function together(streams: readonly OggStream[]): Duration | undefined {
  let min = 0
  let max = 0
  let claimed = 0
  for (const { codec, granule, pages, ...counted } of streams) {
    const frames = pages.length === 0 ? 0 : framesOf(pages, codec.rate)
    min += counted.min + frames
    max += counted.max + frames
    claimed += Math.max(0, granule - codec.skip) / codec.rate
  }
  return max === 0 ? undefined : audioDuration({ min, max }, claimed)
}

/**
 * Returns the duration of FLAC frames in seconds. A packet may contain several frames, and a frame may continue on the
 * next page.
 */
function framesOf(pages: OggStream["pages"], rate: number): number {
  const all = pages.map(({ bytes }) => bytes)
  const whole = pages.filter(({ isWhole }) => isWhole).map(({ bytes }) => bytes)
  const seconds = [all, whole].map((parts) =>
    flacFramesSeconds(ByteReader.of(Buffer.concat(parts)), 0, rate),
  )
  return Math.max(...seconds)
}

function codecOf(reader: ByteReader, at: number): Codec | undefined {
  const start = reader.text(at, 8)
  if (start === "OpusHead") return opusCodec(reader.uintLittle(at + 10, 2))
  if (start.startsWith("\x01vorbis")) {
    const rate = reader.uintLittle(at + 12, 4)
    return rate === 0 ? undefined : vorbisCodec(rate, reader.byte(at + 28))
  }
  if (start.startsWith("\x7fFLAC")) {
    const { sampleRate: rate } = readFlacInfo(reader, at + 17)
    return rate === 0 ? undefined : flacCodec(rate)
  }
  return undefined
}

/** Returns the rules for Opus. Positions are in samples at 48 kHz, regardless of the input (RFC 7845). */
function opusCodec(skip: number): Codec {
  return { name: "opus", rate: 48_000, skip, headers: ["OpusHead", "OpusTags"] }
}

/**
 * Returns the duration of a packet in seconds, which is at most half of the longer block (Vorbis I, 4.3.8). Audio has
 * more long blocks than short blocks.
 * @param sizes both block sizes, as exponents.
 */
export function vorbisSeconds(rate: number, sizes: number): Range {
  const max = 2 ** (sizes >> 4) / 2 / rate
  return { min: Math.min(max, Math.max(2 ** (sizes & 15) / 2 / rate, max / 2)), max }
}

function vorbisCodec(rate: number, sizes: number): Codec {
  const headers = ["\x01vorbis", "\x03vorbis", "\x05vorbis"]
  return { name: "vorbis", rate, skip: 0, headers, even: vorbisSeconds(rate, sizes) }
}

function flacCodec(rate: number): Codec {
  return { name: "flac", rate, skip: 0, headers: [] }
}
