import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { wholeSound } from "../../simulator/audio/sound.ts"
import { ByteReader } from "../../src/media/measure/byte-reader.ts"
import { type Duration, TooManyParts } from "../../src/media/measure/duration.ts"
import { durationOf } from "../../src/media/measure/sound.ts"

// Audio that decoders play although other parts of the file seem to contain or to end it. All of it is a minute.
const SECONDS = 60

function measure(bytes: Uint8Array): Duration | undefined {
  try {
    return durationOf(ByteReader.of(bytes))
  } catch (error) {
    if (error instanceof TooManyParts) return undefined
    throw error
  }
}

/** The bound, and what is charged where a provider reports no duration. */
function expectMeasured(bytes: Uint8Array, atLeast = SECONDS * 0.94): void {
  const found = measure(bytes)
  expect(found?.maxSeconds ?? Infinity).toBeGreaterThanOrEqual(atLeast)
  expect(found?.seconds ?? Infinity).toBeGreaterThanOrEqual(atLeast)
}

function sample(name: string): Buffer {
  return readFileSync(join(import.meta.dir, "samples", name))
}

function placesOf(bytes: Buffer, mark: string): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(mark, 0, "latin1"); at >= 0;) {
    places.push(at)
    at = bytes.indexOf(mark, at + 1, "latin1")
  }
  return places
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1")

interface OggPage {
  readonly version?: number
  readonly flags?: number
  readonly serial: Uint8Array
  readonly segments: readonly number[]
}

/** The header of a page whose checksum is wrong. */
function oggHeader({ version = 0, flags = 0, serial, segments }: OggPage): Buffer {
  const start = [version, flags, 0, 0, 0, 0, 0, 0, 0, 0]
  const numbers = [1, 1, 1, 1, 1, 2, 3, 4, segments.length]
  return Buffer.concat([
    latin1("OggS"),
    Buffer.from(start),
    serial,
    Buffer.from(numbers),
    Buffer.from(segments),
  ])
}

/** The same bytes in pages whose checksum is wrong. */
function inWrongPages(inner: Buffer, page: Omit<OggPage, "segments">, lace = 255): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < inner.length;) {
    const part = inner.subarray(at, at + 255 * lace)
    const full = Math.floor(part.length / lace)
    const segments = [...Array.from({ length: full }, () => lace), part.length - full * lace]
    parts.push(oggHeader({ ...page, segments: segments.slice(0, 255) }), part)
    at += part.length
  }
  return Buffer.concat(parts)
}

describe("Ogg", () => {
  const files = {
    Opus: Buffer.from(wholeSound("opus", SECONDS)),
    Vorbis: sample("minute.ogg"),
  }
  for (const [name, whole] of Object.entries(files)) {
    const pages = placesOf(whole, "OggS")
    const serial = whole.subarray(14, 18)
    const behindHeaders = pages[2] ?? 0
    const [head, rest] = [whole.subarray(0, behindHeaders), whole.subarray(behindHeaders)]

    test(`counts pages of ${name} in pages with a wrong checksum`, () => {
      expectMeasured(Buffer.concat([head, inWrongPages(rest, { serial })]), SECONDS * 0.9)
      const cut = Buffer.concat([head, oggHeader({ serial, segments: [255, 255, 255] }), rest])
      expectMeasured(cut)
      for (const flags of [1, 2, 4]) {
        const found = measure(Buffer.concat([head, inWrongPages(rest, { serial, flags })]))
        expect(found?.maxSeconds ?? Infinity).toBeGreaterThan(SECONDS * 0.9)
      }
    })

    test(`counts pages of ${name} in a page that is cut, or of an unknown version`, () => {
      const segments = Array.from({ length: 255 }, () => 255)
      const end = pages.at(-4) ?? 0
      const long = oggHeader({ serial, segments })
      expectMeasured(Buffer.concat([whole.subarray(0, end), long, whole.subarray(end)]))
      expectMeasured(Buffer.concat([head, oggHeader({ version: 1, serial, segments }), rest]))
    })

    test(`counts pages of ${name} wherever such pages are`, () => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.integer({ min: 1, max: 255 })), {
            minLength: 1,
            maxLength: 6,
          }),
          (wrong) => {
            const parts = pages.map((at, index) => whole.subarray(at, pages[index + 1]))
            for (const [place, count, lace] of wrong) {
              const segments = Array.from({ length: count }, () => lace)
              const at = 2 + (place % (parts.length - 2))
              const page = parts[at] ?? Buffer.alloc(0)
              parts[at] = Buffer.concat([oggHeader({ serial, segments }), page])
            }
            expectMeasured(Buffer.concat(parts))
          },
        ),
        { numRuns: 60 },
      )
    })
  }

  test("counts the packets behind a header that is repeated on each page", () => {
    const opus = files.Opus
    const serial = opus.subarray(14, 18)
    const header = opus.subarray(28, 28 + 19)
    // A packet of two frames of 60 ms, where its second one would be.
    const page = Buffer.concat([
      oggHeader({ flags: 2, serial, segments: [19, 3] }),
      header,
      Buffer.from([0x19, 0, 0]),
    ])
    const start = opus.subarray(0, placesOf(opus, "OggS")[3])
    const repeated = Buffer.concat([start, ...Array.from({ length: 500 }, () => page)])
    expectMeasured(repeated)
  })

  test("takes the longest blocks that any header of Vorbis names", () => {
    const vorbis = files.Vorbis
    const pages = placesOf(vorbis, "OggS")
    const short = Buffer.from(vorbis.subarray(0, pages[1]))
    // The highest rate, and blocks of 64 samples.
    short.writeUInt32LE(192_000, 28 + 12)
    short[28 + 28] = 0x66
    for (const serial of [vorbis.subarray(14, 18), Buffer.from("four")]) {
      short.set(serial, 14)
      const rest = Buffer.from(vorbis.subarray(pages[2]))
      for (const at of placesOf(rest, "OggS")) rest.set(serial, at + 14)
      const file = Buffer.concat([vorbis.subarray(0, pages[2]), short, rest])
      expect(measure(file)?.maxSeconds).toBeGreaterThan(SECONDS * 0.94)
    }
  })

  test("counts frames of FLAC wherever they are in a packet or its pages", () => {
    const flac = Buffer.from(wholeSound("flac", SECONDS))
    const header = Buffer.concat([latin1("\x7fFLAC\x01\0\0\0"), flac.subarray(0, 42)])
    const serial = Buffer.from("flac")
    const first = Buffer.concat([
      oggHeader({ flags: 2, serial, segments: [header.length] }),
      header,
    ])
    for (const lace of [255, 100, 7]) {
      expectMeasured(Buffer.concat([first, inWrongPages(flac.subarray(42), { serial }, lace)]))
    }
  })
})

describe("FLAC", () => {
  test("counts frames in a block of metadata that claims all of them", () => {
    const flac = Buffer.from(wholeSound("flac", SECONDS))
    // Without its last second.
    const claim = Buffer.from([0x01, 0, 0, 0])
    claim.writeUIntBE(Math.floor((flac.length * (SECONDS - 1)) / SECONDS), 1, 3)
    expectMeasured(Buffer.concat([flac.subarray(0, 42), claim, flac.subarray(42)]))
  })
})
