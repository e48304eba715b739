import { describe, expect, test } from "bun:test"
import { imageTokenBound } from "../../src/media/generated-image-tokens.ts"

const SQUARE = { width: 1024, height: 1024 }
const WIDE = { width: 1536, height: 1024 }

describe("the token bound of a generated image", () => {
  // The counts are from OpenAI's image generation guide and from recordings. They include text.
  for (const [model, size, quality, tokens] of [
    ["gpt-image-1", SQUARE, "low", 272],
    ["gpt-image-1", SQUARE, "medium", 1056],
    ["gpt-image-1", SQUARE, "high", 4160],
    ["gpt-image-1", WIDE, "low", 408],
    ["gpt-image-1", WIDE, "medium", 1584],
    ["gpt-image-1", WIDE, "high", 6240],
    ["gpt-image-1", undefined, undefined, 6240],
    ["gpt-image-1", SQUARE, "auto", 4160],
    ["gpt-image-1.5", SQUARE, "low", 415],
    ["gpt-image-1.5", SQUARE, "medium", 1318],
    ["gpt-image-2", { width: 1536, height: 864 }, "low", 120],
    ["gpt-image-2", SQUARE, "low", 196],
    ["gpt-image-2", SQUARE, "medium", 1756],
    ["gpt-image-2", SQUARE, "high", 7024],
    ["gpt-image-2", WIDE, "high", 5488],
    ["gpt-image-2.6-sunburst", SQUARE, "max", 7024],
    ["gpt-image-2", { width: 3840, height: 2160 }, undefined, 13_342],
    ["gpt-image-2", undefined, undefined, 23_719],
    ["gemini-2.5-flash-image", WIDE, undefined, 1290],
    ["gemini-3.1-flash-lite-image", SQUARE, undefined, 1518],
    ["google/gemini-3-pro-image", undefined, "high", 2000],
  ] as const) {
    test(`covers ${model} ${size ? `${size.width}x${size.height}` : "of any size"} ${quality}`, () => {
      const bound = imageTokenBound(model, size, quality)
      expect(bound).toBeGreaterThanOrEqual(tokens)
      expect(bound).toBeLessThanOrEqual(tokens + 9_500)
    })
  }

  test("has a high value for an unknown model", () => {
    expect(imageTokenBound("painter", SQUARE, "low")).toBe(16_384)
  })

  // Azure's deployments have names that operators choose. 23,718 tokens and text are the maximum of `gpt-image-2`.
  for (const [size, quality, bound] of [
    [undefined, undefined, 25_767],
    [undefined, "auto", 25_767],
    [{ width: 2880, height: 2880 }, "high", 25_767],
    [{ width: 3840, height: 2160 }, "max", 16_384],
    [{ width: 4096, height: 4096 }, "high", 25_767],
  ] as const) {
    test(`equals the bound of the largest known image for an unknown model (${size?.width ?? "any"} pixels wide, ${quality})`, () => {
      expect(imageTokenBound("image-prod", size, quality)).toBe(bound)
    })
  }
})
