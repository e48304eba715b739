import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { imageSize } from "../../src/media/image-size.ts"
import { jpeg, png } from "./support.ts"

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex.replaceAll(" ", ""), "hex")
}

describe("imageSize", () => {
  test("reads a PNG", () => expect(imageSize(png(640, 480))).toEqual({ width: 640, height: 480 }))

  test("reads a JPEG with other segments before its frame header", () => {
    expect(imageSize(jpeg(1920, 1080))).toEqual({ width: 1920, height: 1080 })
    expect(imageSize(jpeg(9, 7, [3_000, 20_000, 2]))).toEqual({ width: 9, height: 7 })
    expect(imageSize(jpeg(9, 7).subarray(0, 20))).toBeUndefined()
  })

  test("reads a GIF", () => {
    expect(imageSize(bytes("474946383961 4001 f000 00"))).toEqual({ width: 320, height: 240 })
  })

  test.each([
    ["extended", "52494646 00000000 57454250 56503858 0a000000 00000000 7f0200 df0100"],
    ["lossless", "52494646 00000000 57454250 5650384c 00000000 2f 7fc27700 00000000"],
    ["lossy", "52494646 00000000 57454250 56503820 00000000 000000 9d012a 8002 e001"],
  ])("reads a WebP: %s", (_, hex) => {
    expect(imageSize(bytes(hex))).toEqual({ width: 640, height: 480 })
  })

  test("reads a BMP, even if it is stored from top to bottom or has the older header", () => {
    const head = "424d 00000000 00000000 00000000"
    const upright = imageSize(bytes(`${head} 28000000 80020000 e0010000`))
    expect(upright).toEqual({ width: 640, height: 480 })
    const flipped = imageSize(bytes(`${head} 28000000 80020000 20feffff`))
    expect(flipped).toEqual({ width: 640, height: 480 })
    expect(imageSize(bytes(`${head} 0c000000 8002 e001`))).toEqual({ width: 640, height: 480 })
  })

  test("returns undefined for a missing or an impossible size", () => {
    expect(imageSize(bytes("00000020 66747970 61766966 00000000"))).toBeUndefined()
    expect(imageSize(png(0, 10))).toBeUndefined()
    expect(imageSize(new Uint8Array())).toBeUndefined()
    expect(imageSize(Buffer.from("plain text of some length"))).toBeUndefined()
  })

  test("never throws, and never returns an invalid size", () => {
    const starts = fc.constantFrom(
      "89504e470d0a1a0a0000000d49484452",
      "ffd8ffe0",
      "47494638",
      "524946460000000057454250",
      "424d",
      "",
    )
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        const size = imageSize(Buffer.concat([bytes(start), rest]))
        if (!size) return
        expect(size.width).toBeGreaterThan(0)
        expect(size.height).toBeGreaterThan(0)
        expect(Number.isInteger(size.width) && Number.isInteger(size.height)).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})
