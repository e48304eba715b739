import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { audioTokenBound } from "../../src/media/input-tokens.ts"
import { base64, wave } from "./support.ts"
import { processorTime } from "../support/processor-time.ts"

/** Tokens of half a minute. */
const WINDOW = 30 * 32
const MAX = 34_200 * 32
const sample = join(import.meta.dir, "../../../shared/fixtures/openai-node/sample1.mp3")

describe("audioTokenBound", () => {
  test.each([
    [1, 1],
    [29, 1],
    [61, 3],
  ])("%p seconds of WAV fill %p windows of 30 s", (seconds, windows) => {
    const sound = wave({ seconds, sampleRate: 16_000, channels: 1, bits: 16 })
    expect(audioTokenBound(base64(sound), "wav")).toBe(windows * WINDOW)
    expect(audioTokenBound(base64(sound), undefined)).toBe(windows * WINDOW)
  })

  test("does not believe the sizes in a WAV header: streamed ones say 0xffffffff, others lie", () => {
    const made = { seconds: 70, sampleRate: 24_000, channels: 2, bits: 16 } as const
    for (const claimed of [0xffffffff, 0, 10]) {
      expect(audioTokenBound(base64(wave({ ...made, claimed })), "wav")).toBe(3 * WINDOW)
    }
  })

  test("does not believe a rate that is too low, nor one that no sound has", () => {
    const slow = wave({ seconds: 60, sampleRate: 1, channels: 1, bits: 8 })
    expect(audioTokenBound(base64(slow), "wav")).toBe(WINDOW)
    const sound = Buffer.from(wave({ seconds: 90, sampleRate: 48_000, channels: 1, bits: 16 }))
    sound.writeUInt32LE(0xffffffff, 24)
    expect(audioTokenBound(base64(sound), "wav")).toBeGreaterThanOrEqual(WINDOW)
  })

  test("takes a WAV file that holds packed sound by its bytes", () => {
    const packed = wave({ seconds: 30, sampleRate: 8_000, channels: 1, bits: 8, tag: 0x55 })
    expect(audioTokenBound(base64(packed), "wav")).toBe(Math.ceil(240_044 / 750 / 30) * WINDOW)
  })

  test("takes MP3 by the lowest bit rate there is, and other formats by a lower one", () => {
    const bytes = Buffer.alloc(120_000)
    expect(audioTokenBound(base64(bytes), "mp3")).toBe(4 * WINDOW)
    expect(audioTokenBound(base64(bytes, "audio/mpeg"), undefined)).toBe(4 * WINDOW)
    expect(audioTokenBound(base64(bytes), "opus")).toBe(Math.ceil(160 / 30) * WINDOW)
  })

  test.skipIf(!existsSync(sample))(
    "covers real speech (skipped without ../shared/fixtures)",
    () => {
      const tokens = audioTokenBound(base64(readFileSync(sample)), "mp3")
      expect(tokens).toBeGreaterThan(WINDOW)
      expect(tokens).toBeLessThan(MAX)
    },
  )

  test("a sound elsewhere is as long as any can be", () => {
    expect(audioTokenBound({ type: "url", url: "https://example.com/a.mp3" }, "mp3")).toBe(MAX)
    expect(audioTokenBound({ type: "reference", id: "x" }, undefined)).toBe(MAX)
  })

  test("never throws, and gives whole windows, whatever is sent", () => {
    const starts = fc.constantFrom("RIFF\0\0\0\0WAVEfmt ", "RIFF\0\0\0\0WAVE", "ID3", "")
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 300 }), fc.string(), (start, rest, format) => {
        const tokens = audioTokenBound(base64(Buffer.concat([Buffer.from(start), rest])), format)
        expect(tokens % WINDOW).toBe(0)
        expect(tokens).toBeGreaterThanOrEqual(WINDOW)
        expect(tokens).toBeLessThanOrEqual(MAX)
      }),
      { numRuns: 500 },
    )
  })

  test("looks at the ends of a long sound only", () => {
    const data = "A".repeat(100_000_000)
    const taken = processorTime(() => {
      expect(audioTokenBound({ type: "base64", data }, "mp3")).toBe(MAX)
    })
    expect(taken).toBeLessThan(100)
  })
})
