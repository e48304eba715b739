import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { JsonObject } from "../../src/canon/json.ts"
import { imageTokenBound } from "../../src/media/image-tokens.ts"
import { base64, jpeg, png } from "./support.ts"

const ELSEWHERE = { type: "url", url: "https://example.com/a.png" } as const

function bound(width: number, height: number, model: string, detail?: string): number {
  return imageTokenBound(base64(png(width, height)), detail, model)
}

describe("imageTokenBound", () => {
  // The examples are from OpenAI's vision guide.
  test.each([
    [1024, 1024, "openai/gpt-4o", "high", 765],
    [2048, 4096, "openai/gpt-4o", "high", 1105],
    [4096, 8192, "openai/gpt-4o", "low", 85],
    [1024, 1024, "openai/gpt-4o-mini", "high", 25_501],
    [1024, 1024, "openai/gpt-4.1-mini", "high", Math.ceil(1024 * 1.62)],
    [1024, 1024, "openai/gpt-5-nano", undefined, Math.ceil(1024 * 2.46)],
    [1024, 1024, "openai/o4-mini", undefined, Math.ceil(1024 * 1.72)],
    [1024, 1024, "openai/o3", undefined, 675],
  ])(
    "returns the expected bound: %p x %p for %p at %p is %p",
    (...[width, height, model, detail, tokens]) => {
      expect(bound(width, height, model, detail)).toBe(tokens)
    },
  )

  test("covers the resized image of the vendor's guide: 1800 x 2400 and 1,452 patches", () => {
    expect(bound(1800, 2400, "openai/gpt-4.1-mini")).toBeGreaterThanOrEqual(Math.ceil(1452 * 1.62))
    expect(bound(1800, 2400, "openai/gpt-4.1-mini")).toBeLessThanOrEqual(Math.ceil(1536 * 1.62))
  })

  test("recognizes model names in ids of other providers and with dates", () => {
    expect(bound(1024, 1024, "openrouter/openai/gpt-4o-2024-08-06")).toBe(765)
    expect(bound(1024, 1024, "mine/GPT-4o-Mini-2024-07-18")).toBe(25_501)
    expect(bound(64, 64, "mine/o1")).toBe(bound(64, 64, "openai/o1-2024-12-17"))
  })

  test.each([
    ["openai/gpt-4o", 85 + 8 * 170],
    ["openai/gpt-4o-mini", 2833 + 8 * 5667],
    ["openai/gpt-5-mini", Math.ceil(1536 * 1.62)],
    ["openai/gpt-5.4", 10_000],
    ["groq/some-vision-model", 16_384],
  ])("uses the maximum cost of %p for an image at another provider: %p", (model, max) => {
    expect(imageTokenBound(ELSEWHERE, undefined, model)).toBe(max)
    expect(imageTokenBound({ type: "reference", id: "file-1" }, "auto", model)).toBe(max)
    expect(imageTokenBound(base64("no image"), "auto", model)).toBe(max)
    expect(bound(100_000, 100_000, model)).toBeLessThanOrEqual(max)
  })

  test("covers Anthropic, Pixtral, Qwen and Gemini 3 for unknown models and any image size", () => {
    for (const [width, height] of [
      [1, 1],
      [200, 100],
      [1000, 1000],
      [1024, 1024],
    ] as const) {
      const tokens = bound(width, height, "mine/unknown")
      expect(tokens).toBeGreaterThanOrEqual(Math.ceil((width * height) / 750))
      expect(tokens).toBeGreaterThanOrEqual(Math.ceil(width / 16) * Math.ceil(height / 16))
      expect(tokens).toBeGreaterThanOrEqual(Math.ceil(width / 28) * Math.ceil(height / 28))
      expect(tokens).toBeGreaterThanOrEqual(2_240)
    }
  })

  test("does not depend on the number of encoded bytes", () => {
    const heavy = Buffer.concat([png(512, 512), Buffer.alloc(3_000_000, 7)])
    expect(imageTokenBound(base64(heavy), "high", "openai/gpt-4o")).toBe(765)
  })

  test("reads data URLs like other base64", () => {
    const data = Buffer.from(png(1024, 1024)).toString("base64")
    const source = { type: "url", url: `data:image/png;base64,${data}` } as const
    expect(imageTokenBound(source, "high", "openai/gpt-4o")).toBe(765)
  })

  test("uses the largest size if the frame header is beyond the searched range", () => {
    const hidden = jpeg(10, 10, [60_000, 60_000])
    expect(imageTokenBound(base64(hidden), "high", "openai/gpt-4o")).toBe(85 + 8 * 170)
  })

  test("returns a whole number from 1 to the maximum for any input", () => {
    const models = fc.constantFrom("openai/gpt-4o", "openai/gpt-5.4", "openai/o4-mini", "x/y")
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.string(),
        models,
        (bytes, detail, model) => {
          const tokens = imageTokenBound(base64(bytes), detail, model)
          expect(Number.isInteger(tokens)).toBe(true)
          expect(tokens).toBeGreaterThanOrEqual(1)
          expect(tokens).toBeLessThanOrEqual(imageTokenBound(ELSEWHERE, detail, model))
        },
      ),
    )
  })

  test("uses the enlarged size if the request asks the vendor to enlarge the image", () => {
    const enlarged = (width: number, fields: JsonObject): number =>
      imageTokenBound(base64(png(width, 10)), undefined, "alibaba/qwen3-vl-plus", fields)
    const pixels = 12_845_056
    for (const width of [1, 10, 300, 2_000]) {
      expect(enlarged(width, { min_pixels: pixels })).toBe(16_384)
      expect(enlarged(width, { min_pixels: String(pixels) })).toBe(16_384)
      expect(enlarged(width, { image_url: { min_pixels: pixels } })).toBe(16_384)
      expect(enlarged(width, { min_pixels: 3_211_264 })).toBeWithin(4_096, 8_000)
    }
    for (const small of [0, -1, 100]) expect(enlarged(500, { min_pixels: small })).toBe(2_240)
  })

  test("never decreases for a larger image", () => {
    const side = fc.integer({ min: 1, max: 9_000 })
    fc.assert(
      fc.property(side, side, fc.integer({ min: 1, max: 500 }), (width, height, more) => {
        const model = "openai/gpt-4.1-nano"
        expect(bound(width + more, height + more, model)).toBeGreaterThanOrEqual(
          bound(width, height, model),
        )
      }),
    )
  })
})
