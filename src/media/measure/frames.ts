import { type AudioFrame, mpegFrame } from "../mpeg-frame.ts"
import type { ByteReader } from "./byte-reader.ts"
import { audioDuration, type Duration } from "./duration.ts"

/** An audio format that consists of consecutive frames without a container. */
interface FrameFormat {
  frameAt(reader: ByteReader, at: number): AudioFrame | undefined
  readonly minBytesPerSecond: number
}

/** Maximum share of a file that is outside of frames, such as tags at its end. */
const MAX_SKIPPED = 0.05

/** Minimum number of consecutive frames that decoders need to find the start of the audio. */
const MIN_RUN = 8

/** Lowest rate of MP3 (8 kbit/s, ISO 13818-3). Speech in other formats is not smaller. */
export const MIN_SPEECH_BYTES_PER_SECOND = 1_000

const MPEG: FrameFormat = {
  minBytesPerSecond: MIN_SPEECH_BYTES_PER_SECOND,
  frameAt: (reader, at) => mpegFrame(reader.byte(at), reader.byte(at + 1), reader.byte(at + 2)),
}

/** Sample rates of AAC by index (ISO 14496-3, 1.6.3.4). */
export const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  7_350,
] as const
/** The lowest sample rate of AAC, assumed for files that do not state a rate. */
export const MIN_AAC_RATE = 7_350
export const AAC_SAMPLES = 1_024
/** The longest frame of MPEG audio, which has 1,152 samples at 8 kHz. */
export const MAX_MP3_SECONDS = 0.144
const ADTS_HEADER = 7

/** AAC with ADTS headers (ISO 13818-7, 6.2), with up to four blocks of 1,024 samples in one frame. */
const ADTS: FrameFormat = {
  minBytesPerSecond: (ADTS_HEADER * 7_350) / (4 * AAC_SAMPLES),
  frameAt(reader, at) {
    if (reader.byte(at) !== 0xff || (reader.byte(at + 1) & 0xf6) !== 0xf0) return undefined
    const rate = AAC_RATES[(reader.byte(at + 2) >> 2) & 15]
    const bytes = (reader.uint(at + 3, 3) >> 5) & 0x1fff
    if (rate === undefined || bytes < ADTS_HEADER) return undefined
    return { bytes, seconds: (((reader.byte(at + 6) & 3) + 1) * AAC_SAMPLES) / rate }
  },
}

/** Returns the duration of concatenated frames of MPEG audio, regardless of tags. */
export function mp3Duration(reader: ByteReader): Duration | undefined {
  const duration = framesDuration(reader, MPEG)
  if (duration === undefined) return undefined
  const claimed = claimedByFirstFrame(reader, skipTags(reader))
  return audioDuration({ min: duration.seconds, max: duration.maxSeconds }, claimed)
}

export function adtsDuration(reader: ByteReader): Duration | undefined {
  return framesDuration(reader, ADTS)
}

function framesDuration(reader: ByteReader, format: FrameFormat): Duration | undefined {
  const start = skipTags(reader)
  const counted = walk(reader, format, start)
  if (counted.seconds === 0) return undefined
  // Some decoders also search for frames inside a tag.
  const inside = start === 0 ? 0 : walk(reader, format, 0).seconds
  const { skippedBytes } = counted
  const maxSeconds = Math.max(counted.seconds + skippedBytes / format.minBytesPerSecond, inside)
  // If many bytes are skipped, they may be audio in another format that decoders can find.
  const isOther = skippedBytes > reader.size * MAX_SKIPPED
  const other = isOther ? skippedBytes / MIN_SPEECH_BYTES_PER_SECOND : 0
  return { seconds: counted.seconds + other, maxSeconds, hasVideo: false }
}

interface Walk {
  /** Duration of all frames in runs, in seconds. */
  readonly seconds: number
  /** Bytes outside of runs. */
  readonly skippedBytes: number
}

function walk(reader: ByteReader, format: FrameFormat, start: number): Walk {
  let seconds = 0
  let skippedBytes = 0
  let at = start
  while (at < reader.size) {
    const run = runAt(reader, format, at)
    if (run.frames < MIN_RUN && at + run.bytes < reader.size) {
      const next = reader.find(0xff, at + 1)
      skippedBytes += next - at
      at = next
    } else {
      seconds += run.seconds
      at += run.bytes
    }
  }
  return { seconds, skippedBytes }
}

/** Counts the consecutive frames that start at a position. */
function runAt(reader: ByteReader, format: FrameFormat, start: number) {
  let frames = 0
  let seconds = 0
  let at = start
  for (;;) {
    const frame = at < reader.size ? format.frameAt(reader, at) : undefined
    if (frame === undefined) break
    frames++
    seconds += frame.seconds
    at += frame.bytes
  }
  return { frames, seconds, bytes: Math.max(1, at - start) }
}

/** Returns the position after all ID3v2 tags (id3.org, ID3v2.4.0, 3.1). */
export function skipTags(reader: ByteReader): number {
  let at = 0
  while (at < reader.size && isTag(reader, at)) {
    let bytes = 0
    for (let index = 6; index < 10; index++) bytes = bytes * 128 + (reader.byte(at + index) & 0x7f)
    // A footer has the same size as the header.
    at += 10 + bytes + (reader.byte(at + 5) & 0x10 ? 10 : 0)
  }
  return at
}

/**
 * Reports whether a tag starts at a position. Like decoders, it requires that no byte of the version is 255 and no byte
 * of the size is above 127.
 */
function isTag(reader: ByteReader, at: number): boolean {
  if (reader.text(at, 3) !== "ID3" || reader.text(at + 3, 2).includes("\xff")) return false
  return (reader.uint(at + 6, 4) & 0x8080_8080) === 0
}

/** Returns the duration in seconds that the frame count in the first frame claims. Encoders write this count. */
function claimedByFirstFrame(reader: ByteReader, at: number): number {
  const frame = MPEG.frameAt(reader, at)
  if (frame === undefined) return 0
  const text = reader.text(at, Math.min(frame.bytes, 64))
  const mark = text.search(/Xing|Info/)
  if (mark >= 0 && (reader.byte(at + mark + 7) & 1) === 1) {
    return reader.uint(at + mark + 8, 4) * frame.seconds
  }
  const fraunhofer = text.indexOf("VBRI")
  return fraunhofer < 0 ? 0 : reader.uint(at + fraunhofer + 14, 4) * frame.seconds
}
