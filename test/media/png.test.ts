import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { deflateSync } from "node:zlib"
import { readPng } from "../../src/media/png.ts"
import { chunk, header, png } from "../support/png.ts"

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const END = chunk("IEND", Buffer.alloc(0))

function whole(...chunks: Buffer[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat([SIGNATURE, ...chunks]))
}

describe("the PNG header reader", () => {
  for (const [colour, hasAlpha] of [
    [0, false],
    [2, false],
    [3, false],
    [4, true],
    [6, true],
  ] as const) {
    test(`reads color type ${colour}`, () => {
      expect(readPng(png(12, 7, { colour }))).toEqual({ width: 12, height: 7, hasAlpha })
    })
  }

  test("reports an alpha channel for a tRNS chunk", () => {
    const chunks = [chunk("tRNS", Buffer.alloc(1))]
    expect(readPng(png(4, 4, { colour: 3, chunks }))).toMatchObject({ hasAlpha: true })
  })

  test("ignores bytes after the end mark", () => {
    const bytes = new Uint8Array(Buffer.concat([png(3, 3), Buffer.from("trailing")]))
    expect(readPng(bytes)).toMatchObject({ width: 3 })
  })
})

describe("the PNG header reader on invalid files", () => {
  test("rejects a JPEG, a text file and an empty file", () => {
    const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46)
    for (const bytes of [jpeg, new Uint8Array(Buffer.from("a text")), new Uint8Array()]) {
      expect(readPng(bytes)).toBe("it is not a PNG")
    }
  })

  test("rejects invalid depths, and sides of zero and of 2^31", () => {
    const pixels = chunk("IDAT", deflateSync(Buffer.alloc(2)))
    for (const head of [
      header(1, 1, 2, 4),
      header(1, 1, 5, 8),
      header(0, 1, 6),
      header(1, 0, 6),
      header(0x8000_0000, 1, 6),
      chunk("IHDR", Buffer.alloc(12)),
      chunk("gAMA", Buffer.alloc(4)),
    ]) {
      expect(readPng(whole(head, pixels, END))).toBe("its header is damaged")
    }
  })

  test("rejects files without pixels or an end mark", () => {
    expect(readPng(whole(header(1, 1, 6), END))).toBe("one of its parts is damaged")
    const pixels = chunk("IDAT", deflateSync(Buffer.alloc(5)))
    expect(readPng(whole(header(1, 1, 6), pixels))).toBe("it is cut off")
  })

  test("rejects a chunk that is longer than the file", () => {
    const lying = chunk("IDAT", Buffer.alloc(10))
    lying.writeUInt32BE(0x7fff_ffff, 0)
    expect(readPng(whole(header(1, 1, 6), lying, END))).toBe("it is cut off")
    lying.writeUInt32BE(0xffff_ffff, 0)
    expect(readPng(whole(header(1, 1, 6), lying, END))).toBe("one of its parts is damaged")
  })
})

describe("the PNG header reader on generated files", () => {
  const side = fc.integer({ min: 1, max: 0x7fff_ffff })

  test("reads a header of any size as it was written, without decompressing pixels", () => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        const bytes = whole(header(width, height, 6), chunk("IDAT", Buffer.alloc(1)), END)
        expect(readPng(bytes)).toEqual({ width, height, hasAlpha: true })
      }),
    )
  })

  test("rejects a PNG truncated at any position", () => {
    const bytes = png(16, 16)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.byteLength - 1 }), (length) => {
        expect(readPng(bytes.slice(0, length))).toBeString()
      }),
      { numRuns: 300 },
    )
  })

  test("detects one changed byte", () => {
    const bytes = png(16, 16)
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: bytes.byteLength - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, difference) => {
          const changed = bytes.slice()
          changed[at] = (changed[at] ?? 0) ^ difference
          expect(readPng(changed)).toBeString()
        },
      ),
      { numRuns: 500 },
    )
  })

  test("returns a result for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4096 }), (noise) => {
        const bytes = whole(header(2, 2, 6), Buffer.from(noise))
        expect(readPng(bytes)).toBeDefined()
      }),
    )
  })

  test("does not decompress a decompression bomb", () => {
    const pixels = chunk("IDAT", deflateSync(Buffer.alloc(64 * 1024 * 1024)))
    const bomb = whole(header(100_000, 100_000, 6), pixels, END)
    expect(readPng(bomb)).toMatchObject({ width: 100_000 })
    expect(pixels.byteLength).toBeLessThan(100_000)
  })

  test("reads four megabytes of empty chunks", () => {
    const empty = chunk("prIv", Buffer.alloc(0))
    const many = Buffer.concat(Array.from({ length: 340_000 }, () => empty))
    const bytes = whole(header(8, 8, 6), many, chunk("IDAT", Buffer.alloc(1)), END)
    expect(bytes.byteLength).toBeGreaterThan(4_000_000)
    expect(readPng(bytes)).toMatchObject({ width: 8 })
  })
})
