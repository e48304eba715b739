import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { wholeSound } from "../../simulator/audio/sound.ts"
import { ByteReader } from "../../src/media/measure/byte-reader.ts"
import { type Duration, TooManyParts } from "../../src/media/measure/duration.ts"
import { wave } from "../support/audio.ts"
import { durationOf } from "../../src/media/measure/measure.ts"

/** Returns a sample file that was created with ffmpeg: silence or a small test image. */
function sample(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(import.meta.dir, "samples", name)))
}

function measure(bytes: Uint8Array): Duration | undefined {
  try {
    return durationOf(ByteReader.of(bytes))
  } catch (error) {
    if (error instanceof TooManyParts) return undefined
    throw error
  }
}

/** Returns silence with one channel of 16 bits at 8 kHz. The sample rate is a float of 80 bits. */
function aiff(seconds: number): Uint8Array {
  const bytes = Buffer.alloc(54 + seconds * 16_000)
  bytes.write("FORM\0\0\0\0AIFFCOMM", "latin1")
  bytes.writeUInt32BE(18, 16)
  bytes.set([0, 1, 0, 0, 0, 0, 0, 16, 0x40, 0x0b, 0xfa], 20)
  bytes.write("SSND", 38)
  return bytes
}

interface Case {
  readonly bytes: Uint8Array
  /** The duration in seconds that a player shows. */
  readonly seconds: number
  readonly hasVideo?: boolean
  /** Maximum ratio of the computed maximum to the duration. */
  readonly factor?: number
}

const CASES: Readonly<Record<string, Case>> = {
  "a minute of AAC in MP4": { bytes: sample("minute.m4a"), seconds: 60 },
  "a minute of AAC in fragments": { bytes: sample("fragments.mp4"), seconds: 60 },
  "a minute of Vorbis in Ogg": { bytes: sample("minute.ogg"), seconds: 60 },
  "a minute of Opus in WebM": { bytes: sample("minute.webm"), seconds: 60 },
  "a minute of MP3": { bytes: wholeSound("mp3", 60), seconds: 60 },
  "a minute of AAC": { bytes: wholeSound("aac", 60), seconds: 60 },
  "a minute of FLAC": { bytes: wholeSound("flac", 60), seconds: 60 },
  "a minute of Opus in Ogg": { bytes: wholeSound("opus", 60), seconds: 60 },
  "a minute of WAV": { bytes: wave(60), seconds: 60 },
  "a minute of AIFF": { bytes: aiff(60), seconds: 60 },
  "MPEG layer II in a program stream": { bytes: sample("sound.mpeg"), seconds: 20 },
  "ten seconds of video in MP4": { bytes: sample("clip.mp4"), seconds: 10, hasVideo: true },
  "ten seconds of video in WebM": { bytes: sample("clip.webm"), seconds: 10, hasVideo: true },
  "ten minutes at one frame a minute": {
    bytes: sample("sparse.mp4"),
    seconds: 600,
    hasVideo: true,
  },
  // An MPEG-2 frame can be displayed three times.
  "four seconds of MPEG video": {
    bytes: sample("clip.mpeg"),
    seconds: 4,
    hasVideo: true,
    factor: 3.2,
  },
}

describe("durationOf", () => {
  for (const [name, { bytes, seconds, hasVideo = false, factor = 1.1 }] of Object.entries(CASES)) {
    test(`returns a close bound for ${name}`, () => {
      const found = measure(bytes)
      expect(found?.seconds).toBeWithin(seconds * 0.94, seconds * 1.1)
      expect(found?.maxSeconds).toBeWithin(seconds * 0.99, seconds * factor)
      expect(found?.hasVideo).toBe(hasVideo)
    })

    test(`never returns a bound below the duration of the data for ${name} with a modified header`, () => {
      for (const change of claimsIn(bytes)) {
        const changed = Uint8Array.from(bytes)
        for (const at of change.places) changed.set(change.value, at)
        const found = measure(changed)
        expect(found?.maxSeconds ?? Infinity).toBeGreaterThanOrEqual(seconds * 0.94)
      }
    })
  }

  test("bounds the duration of a WAV file with a very low sample rate by that rate", () => {
    const slow = wave(1)
    new DataView(slow.buffer).setUint32(24, 1, true)
    expect(measure(slow)?.maxSeconds).toBe(16_000)
  })

  test("reads any bytes without an error, and never returns a negative duration", () => {
    const whole = Object.values(CASES).map(({ bytes }) => bytes)
    fc.assert(
      fc.property(
        fc.constantFrom(...whole),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 40 }),
        fc.nat(),
        (bytes, changes, cut) => {
          const changed = Uint8Array.from(bytes.subarray(0, 1 + (cut % bytes.length)))
          for (const [at, byte] of changes) changed[at % changed.length] = byte
          const found = measure(changed)
          if (found === undefined) return
          expect(found.seconds).toBeGreaterThanOrEqual(0)
          expect(found.maxSeconds).toBeGreaterThanOrEqual(found.seconds)
        },
      ),
      { numRuns: 300 },
    )
  })
})

interface Claim {
  readonly places: readonly number[]
  readonly value: readonly number[]
}

/** Returns the positions of durations that a file states redundantly. Each of them is set to almost zero. */
function claimsIn(bytes: Uint8Array): Claim[] {
  const buffer = Buffer.from(bytes)
  const claims: Claim[] = []
  const after = (mark: string, offset: number, value: readonly number[]): void => {
    const places: number[] = []
    for (let at = buffer.indexOf(mark, 0, "latin1"); at >= 0;) {
      places.push(at + mark.length + offset)
      at = buffer.indexOf(mark, at + 1, "latin1")
    }
    if (places.length > 0) claims.push({ places, value })
  }
  const one = [0, 0, 0, 1]
  after("mvhd", 16, one)
  after("mdhd", 16, one)
  after("tkhd", 20, one)
  // The granule positions of all pages.
  after("OggS", 2, [1, 0, 0, 0, 0, 0, 0, 0])
  // The duration in the header of WebM, a float of eight bytes.
  after("\x44\x89\x88", 0, [0x3f, 0xf0, 0, 0, 0, 0, 0, 0])
  if (buffer.toString("latin1", 0, 4) === "fLaC")
    claims.push({ places: [21], value: [0xf0, ...one] })
  return claims
}
