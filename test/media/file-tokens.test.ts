import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { MediaExtent } from "../../src/canon/message.ts"
import { fileTokenBound } from "../../src/media/file-tokens.ts"
import { measureMedia } from "../../src/media/measure/measure.ts"
import { base64 } from "./support.ts"

function bound(extent: MediaExtent, model: string, fields = {}): number {
  return fileTokenBound({ type: "base64", data: "JVBERi0=", extent }, model, fields)
}

describe("fileTokenBound", () => {
  test("bounds a PDF by the model's rule for pages and text", () => {
    const extent = { pages: 3, textBytes: 9_000 }
    // 1,600 tokens were measured for the image of a page, in addition to its text.
    expect(bound(extent, "anthropic/claude-sonnet-4-5")).toBeWithin(3 * 1_600 + 9_000, 15_000)
    // 560 tokens were measured for a page with any text.
    expect(bound(extent, "google/gemini-3-pro")).toBeWithin(3 * 560, 4 * 3 * 560)
    expect(bound(extent, "up/unknown")).toBeGreaterThan(bound(extent, "claude"))
  })

  test("bounds a video for Gemini by its frames and its sound", () => {
    const extent = { seconds: 60, hasVideo: true }
    const tokens = bound(extent, "gemini-2.5-flash")
    expect(tokens).toBeWithin(60 * (258 + 32), 60 * (258 + 32) * 1.25)
    const fields = { videoMetadata: { fps: 4 } }
    expect(bound(extent, "gemini-2.5-flash", fields)).toBeGreaterThan(60 * (4 * 258 + 32))
    const hidden = { videoMetadata: { fps: "4" } }
    expect(bound(extent, "gemini-2.5-flash", hidden)).toBeGreaterThan(60 * (4 * 258 + 32))
    expect(bound(extent, "qwen-vl")).toBe(Infinity)
  })

  test("bounds an audio file by its seconds", () => {
    expect(bound({ seconds: 60 }, "up/any")).toBeWithin(1_920, 2_100)
  })

  function measured(bytes: Uint8Array | string): number {
    const source = base64(bytes) as { readonly type: "base64"; readonly data: string }
    const { extent = {} } = measureMedia({ base64: source.data })
    return fileTokenBound({ ...source, extent }, "up/any")
  }

  test("bounds text by its bytes", () => {
    expect(measured("hello")).toBeWithin(5, 100)
    expect(measured("x".repeat(10_000))).toBeWithin(10_000, 10_100)
    expect(measured("\u00e9".repeat(5_000))).toBeWithin(10_000, 10_100)
  })

  test("bounds text by its Unicode normal form if that is longer", () => {
    for (const character of ["\ufdfa", "\u3300", "\u0f76", "\u0344", "\u{1d160}"]) {
      const text = character.repeat(5_000)
      const forms = [text, text.normalize("NFC"), text.normalize("NFKC")]
      const most = Math.max(...forms.map((form) => Buffer.byteLength(form)))
      expect(measured(text)).toBeWithin(most, most + 100)
      const wide = Buffer.from(`\ufeff${text}`, "utf16le")
      expect(measured(wide)).toBeWithin(most, most + 100)
      expect(measured(wide.swap16())).toBeWithin(most, most + 100)
      // The file is not measured, for example because too many files are being measured.
      expect(fileTokenBound(base64(text), "up/any")).toBeGreaterThanOrEqual(most)
    }
    expect(measured(Buffer.alloc(1_000, 0xff))).toBeGreaterThanOrEqual(3_000)
  })

  test("returns no bound for linked, compressed or unmeasured files", () => {
    const files = [
      { type: "reference", id: "file-1" } as const,
      { type: "url", url: "https://example.com/a.pdf" } as const,
      base64("%PDF-1.4 without any page"),
      base64("z".repeat(300), "application/pdf"),
      base64("PK\u0003\u0004zip"),
      base64("frames", "video/mp4"),
    ]
    for (const file of files) expect(fileTokenBound(file, "up/any")).toBe(Infinity)
  })

  test("bounds an image by its size, even if it is declared as a file", () => {
    const { data } = base64(Buffer.from("iVBORw0KGgoAAAANSUhEUgAAJxAAACcQCAIAAAA=", "base64")) as {
      data: string
    }
    expect(fileTokenBound({ type: "base64", data }, "up/any")).toBeGreaterThan(10_000)
  })

  test("returns without an error for any input", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (data, mediaType) => {
        const tokens = fileTokenBound({ type: "base64", data, mediaType }, "up/any")
        expect(tokens).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
