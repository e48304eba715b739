import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { wholeSound } from "../../simulator/audio/sound.ts"
import { ByteReader } from "../../src/media/measure/byte-reader.ts"
import type { Duration } from "../../src/media/measure/duration.ts"
import { durationOf } from "../../src/media/measure/measure.ts"

// Duration in seconds of the audio that decoders play. The headers and timestamps of the files state less.
const SECONDS = 60

const measure = (...parts: readonly Uint8Array[]): Duration | undefined =>
  durationOf(ByteReader.of(Buffer.concat(parts)))

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1")

/** Returns a frame that begins with these bytes. */
function frame(head: readonly number[], bytes: number): Buffer {
  const whole = Buffer.alloc(bytes, 0x11)
  whole.set(head)
  return whole
}

const times = (count: number, part: Uint8Array): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => part))

interface WaveFormat {
  readonly tag: number
  readonly channels?: number
  readonly rate?: number
  readonly bytesPerSecond?: number
  readonly blockBytes?: number
  readonly bits?: number
  /** Number of valid bits. It exists only in the extensible format. */
  readonly validBits?: number
  readonly subFormat?: number
  readonly head?: string
  /** The stated size of the `fmt ` chunk. The next chunk follows directly after it. */
  readonly size?: number
}

function waveHead({
  tag,
  channels = 1,
  rate = 8_000,
  bytesPerSecond = 4_000,
  blockBytes = 256,
  bits = 16,
  validBits = 0,
  subFormat = 1,
  head = "RIFF",
  size = 40,
}: WaveFormat): Buffer {
  const file = Buffer.alloc(68)
  file.write(`${head}\0\0\0\0WAVEfmt `, "latin1")
  file.writeUInt32LE(size, 16)
  file.writeUInt16LE(tag, 20)
  file.writeUInt16LE(channels, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(bytesPerSecond, 28)
  file.writeUInt16LE(blockBytes, 32)
  file.writeUInt16LE(bits, 34)
  file.writeUInt16LE(22, 36)
  file.writeUInt16LE(validBits, 38)
  file.writeUInt16LE(subFormat, 44)
  file.write("data", 60)
  return Buffer.concat([file.subarray(0, 20 + size), file.subarray(60)])
}

describe("the duration bound of a misleading WAV file", () => {
  test.each([
    ["A-law of 64 bits", { tag: 6, bits: 64 }],
    ["mu-law of 16 bits", { tag: 7, bits: 16 }],
    ["extensible A-law", { tag: 0xfffe, bits: 64, subFormat: 6 }],
    ["8 valid bits of 64", { tag: 0xfffe, bits: 64, validBits: 8 }],
    ["8 bits in RF64", { tag: 1, bits: 8, head: "RF64" }],
  ] satisfies [string, WaveFormat][])(
    "assumes one byte per sample in this format: %s",
    (_, format) => {
      const found = measure(waveHead(format), Buffer.alloc(SECONDS * 8_000, 0x55))
      expect(found?.seconds).toBeWithin(SECONDS, SECONDS + 1)
      expect(found?.maxSeconds).toBe(found?.seconds)
    },
  )

  const codecs = {
    ms: { tag: 0x02, bits: 4 },
    ima: { tag: 0x11, bits: 4 },
    gsm: { tag: 0x31, bits: 0, blockBytes: 65 },
    g726: { tag: 0x45, bits: 4 },
    g722: { tag: 0x28f, rate: 16_000, bits: 4 },
  } satisfies Record<string, WaveFormat>

  test.each([
    ["Microsoft ADPCM", codecs.ms, 4_000],
    ["Microsoft ADPCM that names 16 bits", { ...codecs.ms, bits: 16 }, 4_000],
    ["IMA ADPCM", codecs.ima, 4_000],
    ["IMA ADPCM in two channels", { ...codecs.ima, channels: 2 }, 8_000],
    ["IMA ADPCM of 2 bits", { ...codecs.ima, bits: 2 }, 2_000],
    ["IMA ADPCM of 5 bits", { ...codecs.ima, bits: 5 }, 4_000],
    ["GSM 06.10", codecs.gsm, 1_625],
    ["GSM 06.10 in short blocks", { ...codecs.gsm, blockBytes: 41 }, 1_025],
    ["GSM 06.10 in blocks of an invalid size", { ...codecs.gsm, blockBytes: 60_000 }, 1_025],
    ["G.726", codecs.g726, 4_000],
    ["G.726 of 2 bits", { ...codecs.g726, bits: 2 }, 2_000],
    ["G.726 at a lower bit rate than its bits", { ...codecs.g726, bytesPerSecond: 2_000 }, 2_000],
    ["G.722", codecs.g722, 8_000],
  ] satisfies [string, WaveFormat, number][])(
    "uses the bit rate of the codec: %s",
    (_, format, bytesPerSecond) => {
      const found = measure(waveHead(format), Buffer.alloc(SECONDS * bytesPerSecond, 0x55))
      expect(found?.seconds).toBeWithin(SECONDS, SECONDS + 1)
      expect(found?.maxSeconds).toBe(found?.seconds)
    },
  )

  test.each([
    ["a bit size that decoders reject", { ...codecs.ima, bits: 8 }],
    ["G.726 of an impossible bit rate", { ...codecs.g726, bytesPerSecond: 400_000 }],
    ["two channels of a mono format", { ...codecs.g722, channels: 2 }],
    ["an excessive number of channels", { ...codecs.ms, channels: 32 }],
    ["a sample rate above that of speech", { ...codecs.ima, rate: 384_000 }],
    ["a compressed format in an extensible header", { tag: 0xfffe, bits: 4, subFormat: 0x11 }],
    ["a header that ends before the bits per sample", { tag: 1, size: 14 }],
    ["a header that ends before the format of its samples", { tag: 0xfffe, size: 18 }],
  ] satisfies [string, WaveFormat][])("stays unknown for %s", (_, format) => {
    expect(measure(waveHead(format), Buffer.alloc(40_000, 0x55))).toBeUndefined()
  })

  test("assumes at most 384,000 bytes per second of the header's rate", () => {
    const samples = Buffer.alloc(3_840_000)
    const stereo = { tag: 3, channels: 2, rate: 48_000, bits: 32 }
    expect(measure(waveHead(stereo), samples)?.maxSeconds).toBeWithin(10, 10.1)
    const found = measure(waveHead({ tag: 1, channels: 32, rate: 384_000, bits: 64 }), samples)
    expect(found?.seconds).toBeWithin(10, 10.1)
    expect(found?.maxSeconds).toBeGreaterThanOrEqual(3_840)
  })

  const frames: readonly [name: string, frame: Buffer][] = [
    // The frame has 32 kbit/s at 48 kHz.
    ["AC-3", frame([0x0b, 0x77, 0, 0, 0x00, 0x40], 128)],
    ["AC-3 with its bytes swapped", frame([0x77, 0x0b, 0, 0, 0x40, 0x00], 128)],
    ["E-AC-3", frame([0x0b, 0x77, 0x00, 0x3f, 0x3f, 0x80], 128)],
    ["AAC in LOAS", frame([0x56, 0xe0, 125], 128)],
    ["DTS", frame([0x7f, 0xfe, 0x80, 0x01, 0xfc], 1_024)],
    ["DTS in words of 14 bits", frame([0xff, 0x1f, 0x00, 0xe8, 0xf1, 0x07], 1_024)],
    ["bursts in S/PDIF", frame([0x72, 0xf8, 0x1f, 0x4e, 0x01, 0], 6_144)],
  ]
  test.each(frames)("stays unknown if the samples are encoded frames: %s", (_, one) => {
    const head = waveHead({ tag: 1, channels: 2, rate: 48_000 })
    expect(measure(head, times(200, one))).toBeUndefined()
    expect(measure(head, Buffer.alloc(100_001), times(200, one))).toBeUndefined()
  })

  test("stays unknown if other bytes occur between a few AAC frames", () => {
    const aac = wholeSound("aac", 1)
    const length = ((aac[3] ?? 0) & 3) * 2_048 + (aac[4] ?? 0) * 8 + ((aac[5] ?? 0) >> 5)
    const few = Buffer.concat([aac.subarray(0, length * 3), Buffer.from([0x11])])
    expect(
      measure(waveHead({ tag: 1, channels: 2, rate: 48_000 }), times(500, few)),
    ).toBeUndefined()
  })

  test("has a value for random bytes", () => {
    const noise = Buffer.alloc(480_000)
    for (let at = 0, seed = 1; at < noise.length; at++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      noise[at] = seed >>> 24
    }
    expect(measure(waveHead({ tag: 1 }), noise)?.seconds).toBeWithin(30, 31)
  })
})

describe("the duration bound of audio with an ID3 tag", () => {
  const tag = latin1("ID3\x04\0\0\0\0\0\x02xx")
  const [mp3, aac] = [wholeSound("mp3", 1), wholeSound("aac", SECONDS)]
  const last = mp3.subarray(0, 417)

  test("includes AAC after the tag", () => {
    expect(measure(tag, aac)?.seconds).toBeWithin(SECONDS, SECONDS + 1)
  })

  test("includes audio in another format between the tag and MP3 frames", () => {
    for (const content of [aac, times(1_000, frame([0x56, 0xe0, 125], 128))]) {
      const found = measure(tag, content, last)
      expect(found?.seconds).toBeGreaterThanOrEqual(content.length / 1_000)
    }
  })

  test("excludes a tag at the end of an MP3 file", () => {
    const found = measure(mp3, Buffer.concat([latin1("TAG"), Buffer.alloc(125)]))
    expect(found?.seconds).toBeWithin(1, 1.1)
  })
})

function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(8 + Buffer.concat(content).length)
  return Buffer.concat([size, latin1(type), ...content])
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** Returns a sound file in which each sample lasts one tick at 8 kHz. */
function movie(entry: Buffer, samples: number, bytes: number): Buffer {
  const header = numbers(0, 0, 0, 8_000, 1)
  const table = box(
    "stbl",
    box("stsd", numbers(0, 1), entry),
    box("stts", numbers(0, 1, samples, 1)),
    box("stsz", numbers(0, bytes, samples)),
  )
  const sound = box("hdlr", numbers(0, 0), latin1("soun"), Buffer.alloc(12))
  const media = box("mdia", box("mdhd", header), sound, box("minf", table))
  const whole = box("moov", box("mvhd", header), box("trak", media))
  return Buffer.concat([box("ftyp", latin1("M4A "), numbers(0)), whole])
}

/** Returns a sample entry with the given version and a sample rate of 8 kHz. */
function entryOf(type: string, version: number, ...boxes: readonly Uint8Array[]): Buffer {
  const fields = Buffer.alloc(28)
  fields.writeUInt16BE(1, 6)
  fields.writeUInt16BE(version, 8)
  fields.writeUInt16BE(8_000, 24)
  return box(type, fields, ...boxes)
}

describe("the duration bound of a misleading MP4 file", () => {
  const cookie = (samples: number, rate: number): Buffer =>
    box("alac", numbers(0, samples, 0, 0, 0, 0, rate))
  const count = Math.ceil((SECONDS * 8_000) / 4_096)

  test("counts ALAC frames regardless of the timestamps", () => {
    const found = measure(movie(entryOf("alac", 0, cookie(4_096, 8_000)), count, 8_000))
    expect(found?.seconds).toBeWithin(SECONDS, SECONDS + 1)
    expect(found?.maxSeconds).toBe(found?.seconds)
  })

  test("assumes the longest frames of all possible ALAC configurations", () => {
    const decoy = box("free", cookie(1, 4_000_000_000), Buffer.alloc(8_000))
    for (const boxes of [
      [decoy, cookie(4_096, 8_000)],
      [cookie(4_096, 8_000), decoy],
    ]) {
      const found = measure(movie(entryOf("alac", 0, ...boxes), count, 8_000))
      expect(found?.seconds).toBeWithin(SECONDS, SECONDS + 1)
    }
  })

  test("stays unknown if the sample description has version 2", () => {
    expect(measure(movie(entryOf("ulaw", 0), 8_000, 1))).toBeDefined()
    expect(measure(movie(entryOf("ulaw", 2), 8_000, 1))).toBeUndefined()
  })

  test("counts AAC frames regardless of the timestamps", () => {
    const whole = readFileSync(join(import.meta.dir, "samples/minute.m4a"))
    const content = (type: string): number => whole.indexOf(type, 0, "latin1") + 4
    for (const type of ["mvhd", "mdhd"]) whole.writeUInt32BE(1, content(type) + 16)
    whole.writeUInt32BE(1, content("elst") + 8)
    whole.writeUInt32BE(2, content("stts") + 12)
    expect(measure(whole)?.seconds).toBeWithin(SECONDS * 0.9, SECONDS + 1)
  })
})

describe("the duration bound of a misleading WebM file", () => {
  /** Returns an element whose length has two bytes. */
  function element(id: string, ...content: readonly Uint8Array[]): Buffer {
    const bytes = Buffer.concat(content)
    const size = Buffer.from([0x40 | (bytes.length >> 8), bytes.length & 255])
    return Buffer.concat([latin1(id), size, bytes])
  }

  test("counts AAC frames if all timestamps are zero", () => {
    const track = element(
      "\xae",
      element("\xd7", Buffer.from([1])),
      element("\x83", Buffer.from([2])),
      element("\x86", latin1("A_AAC")),
      // AAC-LC at 16 kHz.
      element("\x63\xa2", Buffer.from([0x14, 0x08])),
    )
    const block = element("\xa3", Buffer.from([0x81, 0, 0, 0]), Buffer.alloc(100, 0x21))
    const cluster = element("\x1f\x43\xb6\x75", element("\xe7", Buffer.from([0])), block)
    const found = measure(
      element("\x1a\x45\xdf\xa3", element("\x42\x82", latin1("webm"))),
      latin1("\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"),
      element("\x16\x54\xae\x6b", track),
      times(Math.ceil((SECONDS * 16_000) / 1_024), cluster),
    )
    expect(found?.seconds).toBeGreaterThan(SECONDS * 0.9)
  })
})

describe("the duration bound of an MPEG program stream", () => {
  const sound = readFileSync(join(import.meta.dir, "samples/sound.mpeg"))

  test.each([0xbc, 0xbd, 0xbf, 0xfd])(
    "stays unknown if a stream has an unknown format (%d)",
    (code) => {
      expect(measure(sound)).toBeDefined()
      const packet = Buffer.concat([Buffer.from([0, 0, 1, code, 0, 100]), Buffer.alloc(100, 0xff)])
      expect(measure(sound, packet)).toBeUndefined()
    },
  )
})
