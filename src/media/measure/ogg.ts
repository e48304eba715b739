import type { ByteReader } from "./byte-reader.ts"
import { audioDuration, type Duration, MAX_PARTS, TooManyParts } from "./duration.ts"
import { flacFrameSeconds, readFlacInfo } from "./flac.ts"
import { MAX_PACKET_SECONDS, opusSeconds } from "./opus.ts"

/** One logical stream of a file. */
interface OggStream {
  readonly codec: Codec
  /** Packets so far, headers included. */
  packets: number
  min: number
  max: number
  /** The last position in samples. */
  granule: number
}

/** How the packets of a codec are counted. */
interface Codec {
  /** Samples a second of its positions. */
  readonly rate: number
  /** Samples at the start that are not played. */
  readonly skip: number
  /** Packets at the start without audio. */
  readonly headers: number
  seconds(
    reader: ByteReader,
    at: number,
    length: number,
  ): { readonly min: number; readonly max: number }
}

/** @returns undefined if the file has a stream of another codec. */
export function oggDuration(reader: ByteReader): Duration | undefined {
  const streams = new Map<number, OggStream>()
  const ended: OggStream[] = []
  let parts = 0
  for (let at = 0; at < reader.size;) {
    if (++parts > MAX_PARTS) throw new TooManyParts()
    if (reader.text(at, 4) !== "OggS") {
      at = reader.find(0x4f, at + 1)
      continue
    }
    const segments = reader.byte(at + 26)
    const isFirst = (reader.byte(at + 5) & 2) !== 0
    const serial = reader.uintLittle(at + 14, 4)
    let content = at + 27 + segments
    const before = streams.get(serial)
    if (isFirst && before !== undefined) ended.push(before)
    let stream = isFirst ? undefined : before
    if (stream === undefined) {
      const codec = codecOf(reader, content)
      if (codec === undefined) return undefined
      stream = { codec, packets: 0, min: 0, max: 0, granule: 0 }
      streams.set(serial, stream)
    }
    content += countPackets(reader, at, content, stream)
    const high = reader.uintLittle(at + 10, 4)
    // Minus one: no packet ends on this page.
    if (high < 0x8000_0000) {
      const granule = high * 2 ** 32 + reader.uintLittle(at + 6, 4)
      stream.granule = Math.max(stream.granule, granule)
    }
    at = content
  }
  return together([...ended, ...streams.values()])
}

/** Counts the packets that start on a page. @returns the bytes of its content. */
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
    if (!isInside && ++stream.packets > stream.codec.headers) {
      const { min, max } = stream.codec.seconds(reader, content + start, offset - start)
      stream.min += min
      stream.max += max
    }
    isInside = false
    start = offset
  }
  return offset
}

function together(streams: readonly OggStream[]): Duration | undefined {
  let min = 0
  let max = 0
  let claimed = 0
  for (const { codec, granule, ...counted } of streams) {
    min += counted.min
    max += counted.max
    claimed += Math.max(0, granule - codec.skip) / codec.rate
  }
  return max === 0 ? undefined : audioDuration({ min, max }, claimed)
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

/** RFC 7845: positions are in samples at 48 kHz, whatever the input was. */
function opusCodec(skip: number): Codec {
  return {
    rate: 48_000,
    skip,
    headers: 2,
    seconds(reader, at, length) {
      if (length === 0) return { min: 0, max: MAX_PACKET_SECONDS }
      const seconds = opusSeconds(reader.byte(at), length > 1 ? reader.byte(at + 1) : 0)
      return { min: seconds, max: seconds }
    },
  }
}

/** A packet plays at most half of the longer block (Vorbis I, 4.3.8). @param sizes both block sizes, as exponents. */
export function vorbisSeconds(rate: number, sizes: number) {
  return { min: 2 ** (sizes & 15) / 2 / rate, max: 2 ** (sizes >> 4) / 2 / rate }
}

function vorbisCodec(rate: number, sizes: number): Codec {
  const seconds = vorbisSeconds(rate, sizes)
  return { rate, skip: 0, headers: 3, seconds: () => seconds }
}

function flacCodec(rate: number): Codec {
  return {
    rate,
    skip: 0,
    headers: 1,
    seconds(reader, at) {
      const seconds = flacFrameSeconds(reader, at, rate) ?? 0
      return { min: seconds, max: seconds }
    },
  }
}
