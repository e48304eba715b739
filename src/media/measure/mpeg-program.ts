import { ByteReader } from "./byte-reader.ts"
import { audioDuration, type Duration, MAX_PARTS, TooManyParts } from "./duration.ts"
import { mp3Duration } from "./frames.ts"

const PICTURE = 0x00
/**
 * Types of packets that may contain audio in any format: private and extended streams, and the map that names formats.
 */
const UNKNOWN_SOUND: ReadonlySet<number> = new Set([0xbc, 0xbd, 0xbf, 0xfd])
const FIRST_AUDIO = 0xc0
const FIRST_VIDEO = 0xe0
const LAST_VIDEO = 0xef

/** The lowest and the highest frame rate, and the maximum repetitions of a frame (ISO 13818-2, table 6-4). */
const MIN_PICTURES_PER_SECOND = 23.976
const MAX_PICTURES_PER_SECOND = 60
const MAX_REPEATS = 3

/** Measures a program stream, or a video stream without a container (ISO 13818-1, 2.5; 11172-1). */
export function mpegDuration(reader: ByteReader): Duration | undefined {
  const audio: Uint8Array[] = []
  let pictures = 0
  let first = Infinity
  let last = 0
  let parts = 0
  for (let at = nextStart(reader, 0); at < reader.size; at = nextStart(reader, at + 3)) {
    if (++parts > MAX_PARTS) throw new TooManyParts()
    const code = reader.byte(at + 3)
    if (code === PICTURE) pictures++
    if (UNKNOWN_SOUND.has(code)) return undefined
    if (code < FIRST_AUDIO || code > LAST_VIDEO) continue
    const end = at + 6 + reader.uint(at + 4, 2)
    const { time, content } = packetHeader(reader, at + 6)
    if (time !== undefined) {
      first = Math.min(first, time)
      last = Math.max(last, time)
    }
    // Start codes inside a video packet belong to its frames.
    if (code >= FIRST_VIDEO) continue
    audio.push(reader.slice(content, Math.max(0, end - content)))
    at = Math.max(at, Math.min(end, reader.size) - 3)
  }
  const sound = mp3Duration(ByteReader.of(Buffer.concat(audio)))
  const max = (pictures * MAX_REPEATS) / MIN_PICTURES_PER_SECOND
  const claimed = Math.max(0, last - first)
  if (pictures === 0 && sound === undefined) return undefined
  const counted = {
    min: Math.max(pictures / MAX_PICTURES_PER_SECOND, sound?.seconds ?? 0),
    max: Math.max(max, sound?.maxSeconds ?? 0),
  }
  return { ...audioDuration(counted, claimed), hasVideo: pictures > 0 }
}

/** Returns the position of the next start code, which is two zero bytes and a one, followed by the code. */
function nextStart(reader: ByteReader, from: number): number {
  let at = from
  for (;;) {
    const one = reader.find(1, Math.max(at + 2, 2))
    if (one >= reader.size) return reader.size
    if (reader.byte(one - 1) === 0 && reader.byte(one - 2) === 0) return one - 2
    at = one - 1
  }
}

/**
 * Returns the time of a packet in seconds, and the start of its content (ISO 13818-1, 2.4.3.6;
 * 11172-1, 2.4.3.3).
 */
function packetHeader(reader: ByteReader, start: number) {
  if (reader.byte(start) >> 6 === 2) {
    const hasTime = (reader.byte(start + 1) & 0x80) !== 0
    const time = hasTime ? timeAt(reader, start + 3) : undefined
    return { time, content: start + 3 + reader.byte(start + 2) }
  }
  let at = start
  while (reader.byte(at) === 0xff && at < start + 16) at++
  if (reader.byte(at) >> 6 === 1) at += 2
  const form = reader.byte(at) >> 4
  if (form === 2) return { time: timeAt(reader, at), content: at + 5 }
  return form === 3
    ? { time: timeAt(reader, at), content: at + 10 }
    : { time: undefined, content: at + 1 }
}

/** Reads a timestamp of 33 bits at 90 kHz, with marker bits between them. */
function timeAt(reader: ByteReader, at: number): number {
  const high = (reader.byte(at) >> 1) & 7
  const middle = reader.uint(at + 1, 2) >> 1
  const low = reader.uint(at + 3, 2) >> 1
  return (high * 2 ** 30 + middle * 2 ** 15 + low) / 90_000
}
