import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { wholeSound } from "../../simulator/audio/sound.ts"
import { ByteReader } from "../../src/media/measure/byte-reader.ts"
import { type Duration, TooManyParts } from "../../src/media/measure/duration.ts"
import { wave } from "../support/audio.ts"
import { durationOf } from "../../src/media/measure/measure.ts"

// Duration in seconds of the audio in each file. Decoders play it although other parts of the file seem to contain the
// audio or to end it.
const SECONDS = 60

function measure(bytes: Uint8Array): Duration | undefined {
  try {
    return durationOf(ByteReader.of(bytes))
  } catch (error) {
    if (error instanceof TooManyParts) return undefined
    throw error
  }
}

/** Checks the computed maximum, and the charge if a provider reports no duration. */
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

/** Returns the header of a page with a wrong checksum. */
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

/** Returns the bytes in pages with wrong checksums. */
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

describe("the duration bound of an Ogg file", () => {
  const files = {
    Opus: Buffer.from(wholeSound("opus", SECONDS)),
    Vorbis: sample("minute.ogg"),
  }
  for (const [name, whole] of Object.entries(files)) {
    const pages = placesOf(whole, "OggS")
    const serial = whole.subarray(14, 18)
    const behindHeaders = pages[2] ?? 0
    const [head, rest] = [whole.subarray(0, behindHeaders), whole.subarray(behindHeaders)]

    test(`counts pages of ${name} that are hidden inside pages with a wrong checksum`, () => {
      expectMeasured(Buffer.concat([head, inWrongPages(rest, { serial })]), SECONDS * 0.9)
      const cut = Buffer.concat([head, oggHeader({ serial, segments: [255, 255, 255] }), rest])
      expectMeasured(cut)
      for (const flags of [1, 2, 4]) {
        const found = measure(Buffer.concat([head, inWrongPages(rest, { serial, flags })]))
        expect(found?.maxSeconds ?? Infinity).toBeGreaterThan(SECONDS * 0.9)
      }
    })

    test(`counts pages of ${name} that are hidden inside a truncated page or a page of an unknown version`, () => {
      const segments = Array.from({ length: 255 }, () => 255)
      const end = pages.at(-4) ?? 0
      const long = oggHeader({ serial, segments })
      expectMeasured(Buffer.concat([whole.subarray(0, end), long, whole.subarray(end)]))
      expectMeasured(Buffer.concat([head, oggHeader({ version: 1, serial, segments }), rest]))
    })

    test(`counts pages of ${name} that begin in the last bytes of a page with a wrong checksum`, () => {
      for (const length of [1, 2, 3]) {
        const header = oggHeader({ serial, segments: [length] })
        const hidden = pages
          .slice(2)
          .flatMap((at, index) => [header, whole.subarray(at, pages[index + 3])])
        expectMeasured(Buffer.concat([head, ...hidden]))
      }
    })

    test(`counts pages of ${name} at any position inside such pages`, () => {
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

  test("counts the packets after a header that is repeated on each page", () => {
    const opus = files.Opus
    const serial = opus.subarray(14, 18)
    const header = opus.subarray(28, 28 + 19)
    // Each page repeats the header. A packet with two frames of 60 ms follows the header.
    const page = Buffer.concat([
      oggHeader({ flags: 2, serial, segments: [19, 3] }),
      header,
      Buffer.from([0x19, 0, 0]),
    ])
    const start = opus.subarray(0, placesOf(opus, "OggS")[3])
    const repeated = Buffer.concat([start, ...Array.from({ length: 500 }, () => page)])
    expectMeasured(repeated)
  })

  test("uses the longest blocks that any of the Vorbis headers names", () => {
    const vorbis = files.Vorbis
    const pages = placesOf(vorbis, "OggS")
    const short = Buffer.from(vorbis.subarray(0, pages[1]))
    // The file has the highest sample rate, and blocks of 64 samples.
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

  test("counts FLAC frames at any position of a packet or of its pages", () => {
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

describe("the duration bound of a WAV file", () => {
  test("stays unknown if the samples are frames of another format", () => {
    const header = wave(1).subarray(0, 44)
    for (const form of ["mp3", "aac"] as const) {
      const bytes = Buffer.concat([header, wholeSound(form, SECONDS)])
      expect(measure(bytes)).toBeUndefined()
    }
  })
})

describe("the duration bound of an MP3 file", () => {
  const frames = Buffer.from(wholeSound("mp3", SECONDS))
  const start = frames.subarray(0, frames.length / SECONDS)
  // The file has few consecutive frames, with other bytes between them.
  const hidden = Buffer.concat(
    Array.from({ length: 100 }, () => [start.subarray(0, 1_500), Buffer.alloc(5)]).flat(),
  )

  test("counts frames inside the declared length of a tag at the end", () => {
    const tag = Buffer.concat([latin1("APETAGEX"), Buffer.alloc(24)])
    tag.writeUInt32LE(hidden.length, 12)
    const found = measure(Buffer.concat([start, hidden, tag]))
    expect(found?.maxSeconds ?? Infinity).toBeGreaterThanOrEqual(hidden.length / 16_000)
  })

  test("does not skip invalid tags", () => {
    for (const head of ["ID3\xff\0\0\0\0\x7f\x7f", "ID3\x03\0\0\xff\xff\xff\xff"]) {
      const claim = Buffer.from(head, "latin1")
      const found = measure(Buffer.concat([start, claim, frames]))
      expect(found?.maxSeconds ?? Infinity).toBeGreaterThanOrEqual(SECONDS)
    }
  })
})

describe("the duration bound of a FLAC file", () => {
  test("counts frames inside a metadata block that declares the whole file", () => {
    const flac = Buffer.from(wholeSound("flac", SECONDS))
    // The claim omits the last second.
    const claim = Buffer.from([0x01, 0, 0, 0])
    claim.writeUIntBE(Math.floor((flac.length * (SECONDS - 1)) / SECONDS), 1, 3)
    expectMeasured(Buffer.concat([flac.subarray(0, 42), claim, flac.subarray(42)]))
  })
})

/** Returns an EBML element whose length has eight bytes and may differ from the length of its content. */
function element(id: readonly number[], content: Uint8Array, claimed = content.length): Buffer {
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(claimed))
  size[0] = 1
  return Buffer.concat([Buffer.from(id), size, content])
}

describe("the duration bound of a WebM file", () => {
  const CLUSTER = "\x1f\x43\xb6\x75"
  const TRACKS = "\x16\x54\xae\x6b"
  const VOID = [0xec]
  const CUES = [0x1c, 0x53, 0xbb, 0x6b]
  const TAGS = [0x12, 0x54, 0xc3, 0x67]
  const ATTACHMENTS = [0x19, 0x41, 0xa4, 0x69]
  const TIMESTAMP = [0xe7]
  const BLOCK = [0xa3]
  const none = Buffer.alloc(0)

  /** Removes the duration, and the times of clusters and blocks. */
  function withoutTimes(file: Buffer): Buffer {
    const bytes = Buffer.from(file)
    for (const at of placesOf(bytes, "\x44\x89\x88")) bytes.fill(0, at + 3, at + 11)
    for (const at of placesOf(bytes, "\xe7\x82")) bytes.fill(0, at + 2, at + 4)
    return bytes
  }

  const whole = withoutTimes(sample("minute.webm"))
  const clusters = placesOf(whole, CLUSTER)

  test("counts the frames of a whole file without timestamps", () => expectMeasured(whole))

  for (const [name, id] of Object.entries({ VOID, CUES, TAGS, ATTACHMENTS, TIMESTAMP, BLOCK })) {
    test(`counts clusters after an element of ${name} that is longer than its content`, () => {
      for (const cluster of clusters) {
        const [head, rest] = [whole.subarray(0, cluster), whole.subarray(cluster)]
        const lengths = [2 ** 24 - 1, 2 ** 50, rest.length, Math.floor(rest.length / 2), 1_000]
        for (const claimed of lengths) {
          expectMeasured(Buffer.concat([head, element(id, none, claimed), rest]))
        }
      }
    })
  }

  test("counts clusters at any position inside such elements, even nested ones", () => {
    const ids = fc.constantFrom(VOID, CUES, TAGS, ATTACHMENTS, TIMESTAMP, BLOCK)
    const hiding = fc.tuple(fc.nat(), ids, fc.nat(), fc.nat(4))
    fc.assert(
      fc.property(fc.array(hiding, { minLength: 1, maxLength: 8 }), (elements) => {
        const parts = clusters.map((at, index) => whole.subarray(at, clusters[index + 1]))
        for (const [place, id, claimed, before] of elements) {
          const at = place % parts.length
          const padding = Buffer.alloc(before, 0xec)
          parts[at] = Buffer.concat([element(id, padding, claimed), parts[at] ?? none])
        }
        const found = measure(Buffer.concat([whole.subarray(0, clusters[0]), ...parts]))
        expect(found?.maxSeconds ?? Infinity).toBeGreaterThan(SECONDS * 0.94)
      }),
      { numRuns: 200 },
    )
  })

  test("reads track descriptions that follow the clusters, are inside a skipped element, or appear twice", () => {
    const tracks = whole.indexOf(TRACKS, 0, "latin1")
    const first = clusters[0] ?? 0
    const [description, rest] = [whole.subarray(tracks, first), whole.subarray(first)]
    const head = whole.subarray(0, tracks)
    expectMeasured(Buffer.concat([head, rest, description]))
    expectMeasured(Buffer.concat([head, element(VOID, description), rest]))
    const video = Buffer.from(description)
    video[video.indexOf("\x83\x81", 0, "latin1") + 2] = 1
    expectMeasured(Buffer.concat([head, video, description, rest]))
  })

  test("reads the properties of a track only in its description", () => {
    const first = clusters[0] ?? 0
    // The bytes of the number 9, of the codec FLAC, and of a video.
    const stray = Buffer.from("\xd7\x81\x09\x86\x86A_FLAC\x83\x81\x01", "latin1")
    for (const at of clusters) {
      expectMeasured(Buffer.concat([whole.subarray(0, at), stray, whole.subarray(at)]))
    }
    const inside = [whole.subarray(0, first + 12), stray, whole.subarray(first + 12)]
    expectMeasured(Buffer.concat(inside))
  })

  test("stays unknown if frames are compressed", () => {
    const type = whole.indexOf("\x83\x81\x02", 0, "latin1")
    const encodings = Buffer.from([0x6d, 0x80, 0x80])
    expect(measure(whole)).toBeDefined()
    const [head, rest] = [whole.subarray(0, type), whole.subarray(type)]
    expect(measure(Buffer.concat([head, encodings, rest]))).toBeUndefined()
  })

  test("covers at least the part of the file that was received", () => {
    for (let cut = 0; cut < whole.length; cut += 997) {
      const found = measure(whole.subarray(0, cut))
      if (found === undefined) continue
      expect(found.maxSeconds).toBeGreaterThanOrEqual(((cut - 10_000) / whole.length) * SECONDS)
    }
  })
})

describe("the duration bound of an MP4 file", () => {
  const whole = sample("minute.m4a")

  /** Returns the position of a box's content. */
  const contentOf = (bytes: Buffer, type: string): number => bytes.indexOf(type, 0, "latin1") + 4

  /** Returns the complete box, including its length and type. */
  function boxOf(bytes: Buffer, type: string): Buffer {
    const at = contentOf(bytes, type) - 8
    return bytes.subarray(at, at + bytes.readUInt32BE(at))
  }

  /** Returns a movie that seems to have only one sample. */
  function decoy(movie: Buffer): Buffer {
    const bytes = Buffer.from(movie)
    bytes.writeUInt32BE(1, contentOf(bytes, "stsz") + 8)
    bytes.writeUInt32BE(1, contentOf(bytes, "stts") + 8)
    for (const type of ["mvhd", "mdhd"]) bytes.writeUInt32BE(1, contentOf(bytes, type) + 16)
    bytes.writeUInt32BE(1, contentOf(bytes, "elst") + 8)
    return bytes
  }

  const movie = boxOf(whole, "moov")
  const start = whole.subarray(0, whole.length - movie.length)

  test("counts the tracks of a movie inside a box of another type", () => {
    expect(whole.subarray(start.length)).toEqual(movie)
    for (const type of ["free", "hoov", "mdat", "skip"]) {
      const hidden = Buffer.from(movie)
      hidden.write(type, 4, "latin1")
      expectMeasured(Buffer.concat([start, hidden, decoy(movie)]))
      const long = Buffer.from(hidden)
      long.writeUInt32BE(0x7fff_ffff, 0)
      expectMeasured(Buffer.concat([start, decoy(movie), long]))
    }
  })

  test("counts the audio of a track that is also declared as video", () => {
    const other = Buffer.from(boxOf(whole, "hdlr"))
    other.write("vide", 16, "latin1")
    const at = contentOf(whole, "hdlr") - 8
    const bytes = Buffer.concat([whole.subarray(0, at), other, whole.subarray(at)])
    for (const type of ["mvhd", "mdhd"]) bytes.writeUInt32BE(1, contentOf(bytes, type) + 16)
    bytes.writeUInt32BE(0, contentOf(bytes, "stts") + 12)
    const found = measure(bytes)
    expect(found?.maxSeconds ?? Infinity).toBeGreaterThan(SECONDS * 0.94)
  })

  test("bounds samples of several frames by their bytes", () => {
    const bytes = Buffer.from(whole)
    const sizes = contentOf(bytes, "stsz")
    bytes.writeUInt32BE(1, contentOf(bytes, "stts") + 8)
    bytes.writeUInt32BE(1, sizes + 8)
    // 100 kB last at least one second and at most 100 seconds.
    bytes.writeUInt32BE(100_000, sizes + 12)
    expect(measure(bytes)?.maxSeconds).toBeGreaterThanOrEqual(100)
  })

  test("counts the samples of chunks if each sample is one tick", () => {
    const bytes = Buffer.from(whole)
    bytes.writeUInt32BE(1, contentOf(bytes, "stsz") + 8)
    bytes.writeUInt32BE(1, contentOf(bytes, "stts") + 8)
    bytes.writeUInt32BE(1, contentOf(bytes, "stts") + 12)
    expect(measure(bytes)?.maxSeconds).toBeGreaterThan(SECONDS * 0.94)
  })
})
