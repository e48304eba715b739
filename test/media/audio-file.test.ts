import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { wholeSound } from "../../simulator/audio/sound.ts"
import { readAudio } from "../../src/media/audio-file.ts"
import { ByteReader } from "../../src/media/measure/byte-reader.ts"
import { fileOf } from "../support/audio-request.ts"
import { wave } from "../support/audio.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { durationOf } from "../../src/media/measure/measure.ts"

const bytesOf = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) =>
        typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part),
      ),
    ),
  )

async function look(bytes: Uint8Array<ArrayBuffer>) {
  const measure = async () => durationOf(ByteReader.of(bytes))
  const { container, seconds, maxSeconds } = await readAudio(fileOf(bytes), measure)
  return { container, seconds, maxSeconds }
}

describe("the detector of audio file types", () => {
  const zeros = Array.from({ length: 100 }, () => 0)
  const cases: readonly [name: string, bytes: Uint8Array<ArrayBuffer>, container: string][] = [
    ["wav", wave(1), "wav"],
    ["flac", wholeSound("flac", 1), "flac"],
    ["mp3", wholeSound("mp3", 1), "mp3"],
    ["ogg", wholeSound("opus", 1), "ogg"],
    ["mp3 after a tag", bytesOf("ID3\x04\0\0\0\0\0\x02xx", [...wholeSound("mp3", 1)]), "mp3"],
    ["flac after a tag", bytesOf("ID3\x04\0\0\0\0\0\0", [...wholeSound("flac", 1)]), "flac"],
    ["m4a", bytesOf("\0\0\0\x18ftypM4A ", zeros), "mp4"],
    ["webm", bytesOf("\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm", zeros), "webm"],
    ["mpeg", bytesOf("\0\0\x01\xba", zeros), "mpeg"],
  ]
  for (const [name, bytes, container] of cases) {
    test(`recognizes ${name}`, async () =>
      expect((await look(bytes)).container).toBe(container as never))
  }

  const rejected: readonly [name: string, bytes: Uint8Array<ArrayBuffer>][] = [
    ["nothing", bytesOf()],
    ["text", bytesOf("Not a sound at all, whatever its name says.")],
    ["a PNG", bytesOf("\x89PNG\r\n\x1a\n", zeros)],
    ["Matroska other than WebM", bytesOf("\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska", zeros)],
    ["bare AAC", wholeSound("aac", 1)],
    ["Ogg after a tag", bytesOf("ID3\x04\0\0\0\0\0\x02xx", [...wholeSound("opus", 1)])],
    ["WAV after a tag", bytesOf("ID3\x04\0\0\0\0\0\0", [...wave(1)])],
    ["RIFF other than WAVE", bytesOf("RIFF\0\0\0\0AVI ", zeros)],
    [
      "a false MPEG sync word",
      bytesOf(
        [0xff, 0xfb, 0x90, 0],
        Array.from({ length: 500 }, () => 7),
      ),
    ],
  ]
  for (const [name, bytes] of rejected) {
    test(`rejects ${name}`, () =>
      expect(look(bytes)).rejects.toMatchObject({
        kind: "invalid_audio",
        details: { parameter: "file" },
      }))
  }

  test("returns a result and no error for any bytes", async () => {
    const heads = [
      "ID3\x04\0\0",
      "OggS",
      "fLaC",
      "RIFF\0\0\0\0WAVEfmt ",
      "\0\0\0\x18ftypM4A ",
      "\x1a\x45\xdf\xa3webm",
      "\xff\xfb\x90\0",
      "",
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...heads),
        fc.uint8Array({ maxLength: 600 }),
        async (head, rest) => {
          const bytes = bytesOf(head, [...rest])
          const sound = await look(bytes).catch((error: unknown) => error)
          if (sound instanceof Error) return expect(sound).toMatchObject({ kind: "invalid_audio" })
          const { seconds, maxSeconds } = sound as { seconds: number; maxSeconds: number }
          expect(seconds).toBeGreaterThanOrEqual(0)
          expect(seconds).toBeLessThanOrEqual(maxSeconds)
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe("the duration reader of an audio file", () => {
  test("returns the duration of the simulator's audio in each format", async () => {
    for (const form of ["mp3", "wav", "flac", "opus"] as const) {
      const { seconds } = await look(wholeSound(form, 4))
      expect(seconds).toBeGreaterThan(3.9)
      expect(seconds).toBeLessThan(4.4)
    }
  })

  test("returns a duration for a WAV file with an unknown or a wrong length", async () => {
    for (const length of [0xffff_ffff, 0, 10]) {
      const file = wave(5)
      new DataView(file.buffer).setUint32(4, length, true)
      new DataView(file.buffer).setUint32(40, length, true)
      expect((await look(file)).seconds).toBe(5)
    }
  })

  test("counts the frames if the header states too few, and otherwise uses the stated maximum", async () => {
    const flac = wholeSound("flac", 4)
    const { seconds: real } = await look(flac)
    // The number of samples in STREAMINFO is 36 bits that end at byte 26.
    flac.set([0xf0, 0, 0, 0, 1], 21)
    expect(await look(flac)).toMatchObject({ seconds: real, maxSeconds: real })
    flac.set([0xf0, 0x0f, 0xff, 0xff, 0], 21)
    const { seconds, maxSeconds } = await look(flac)
    expect(seconds).toBe(real)
    expect(maxSeconds).toBeGreaterThan(1_000)
  })

  test.if(HAS_FIXTURES)(`returns the duration of real speech${WITHOUT_FIXTURES}`, async () => {
    const path = new URL("../../../shared/fixtures/openai-node/sample1.mp3", import.meta.url)
    const { container, seconds } = await look(new Uint8Array(await Bun.file(path).arrayBuffer()))
    expect(container).toBe("mp3")
    expect(seconds).toBeCloseTo(10.1, 1)
  })
})
