import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { deflateSync, inflateSync } from "node:zlib"
import { drawMask, readAlpha } from "../../src/media/mask.ts"
import { readPng } from "../../src/media/png.ts"
import { packPng, type PackedPng } from "../support/packed-png.ts"
import { chunk, header, png } from "../support/png.ts"
import { sampleRuns } from "../support/exhaustive.ts"

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** An image with its expected alpha channel. */
interface Sample {
  readonly packed: PackedPng
  readonly alphaOf: (x: number, y: number) => number
}

function noise(x: number, y: number, sample: number, below: number): number {
  return Number(Bun.hash(`${x} ${y} ${sample}`) % BigInt(below))
}

/** Returns an image with pixels of a color type and depth, and the opacity of each pixel. */
function sampleOf(
  colour: PackedPng["colour"],
  depth: PackedPng["depth"],
  rest: Pick<PackedPng, "width" | "height" | "isInterlaced" | "filterOf">,
): Sample {
  const max = 2 ** depth
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colour]
  const pixel = (x: number, y: number) =>
    Array.from({ length: samples }, (_, index) => noise(x, y, index, max))
  const base = { ...rest, colour, depth, pixel }
  if (colour === 4 || colour === 6) {
    const alphaOf = (x: number, y: number) => {
      const alpha = pixel(x, y)[samples - 1] ?? 0
      return depth === 16 ? Math.floor(alpha / 256) : alpha
    }
    return { packed: base, alphaOf }
  }
  if (colour === 3) {
    const shades = Array.from({ length: Math.ceil(max / 2) }, (_, index) => (index * 37) % 256)
    const chunks = [chunk("PLTE", Buffer.alloc(3 * max)), chunk("tRNS", Buffer.from(shades))]
    const alphaOf = (x: number, y: number) => shades[pixel(x, y)[0] ?? 0] ?? 255
    return { packed: { ...base, chunks }, alphaOf }
  }
  // Every pixel with the color of the first pixel is transparent.
  const key = pixel(0, 0)
  const data = Buffer.alloc(2 * samples)
  for (const [index, value] of key.entries()) data.writeUInt16BE(value, 2 * index)
  const alphaOf = (x: number, y: number) => (pixel(x, y).join() === key.join() ? 0 : 255)
  return { packed: { ...base, chunks: [chunk("tRNS", data)] }, alphaOf }
}

const KINDS: readonly (readonly [PackedPng["colour"], PackedPng["depth"]])[] = [
  [0, 1],
  [0, 2],
  [0, 4],
  [0, 8],
  [0, 16],
  [2, 8],
  [2, 16],
  [3, 1],
  [3, 2],
  [3, 4],
  [3, 8],
  [4, 8],
  [4, 16],
  [6, 8],
  [6, 16],
]

async function expectAlpha({ packed, alphaOf }: Sample): Promise<void> {
  const bytes = packPng(packed)
  expect(readPng(bytes)).toMatchObject({ hasAlpha: true })
  const { width, height } = packed
  const wanted = Array.from({ length: width * height }, (_, index) =>
    alphaOf(index % width, Math.floor(index / width)),
  )
  const read = await readAlpha(bytes)
  if (typeof read === "string") throw new Error(read)
  expect([read.width, read.height, [...read.alpha]]).toEqual([width, height, wanted])
}

describe("the reader of a PNG's alpha channel", () => {
  for (const [colour, depth] of KINDS) {
    for (const isInterlaced of [false, true]) {
      const name = `colour type ${colour}, ${depth} bits${isInterlaced ? ", interlaced" : ""}`
      test(`reads images of any size, with any filters: ${name}`, async () => {
        const side = fc.integer({ min: 1, max: 19 })
        const law = fc.asyncProperty(side, side, fc.nat(4), async (width, height, first) => {
          const filterOf = (row: number) => (depth < 8 ? 0 : (first + row) % 5)
          await expectAlpha(sampleOf(colour, depth, { width, height, isInterlaced, filterOf }))
        })
        await fc.assert(law, { numRuns: sampleRuns(30) })
      })
    }
  }

  test("reads a large image without blocking other requests", async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const read = await readAlpha(png(3000, 3000))
    clearInterval(timer)
    expect(typeof read === "string" ? read : read.alpha.every((alpha) => alpha === 0)).toBe(true)
    expect(turns).toBeGreaterThan(3)
  })

  test("reads several images simultaneously, even if one of them is damaged", async () => {
    const damaged = withPixels(Buffer.from("nothing packed"))
    const reads = await Promise.all([png(3, 2), damaged, png(2, 3)].map(readAlpha))
    expect(reads).toMatchObject([
      { width: 3, height: 2 },
      "one of its parts is damaged",
      { width: 2, height: 3 },
    ])
  })

  test("returns full opacity for an image without alpha", async () => {
    const read = await readAlpha(png(3, 2, { colour: 2 }))
    expect(read).toMatchObject({ alpha: new Uint8Array(6).fill(255) })
  })
})

/** Returns an image whose pixels do not match its header. */
function withPixels(data: Buffer, head = header(4, 4, 6)): Uint8Array<ArrayBuffer> {
  const end = chunk("IEND", Buffer.alloc(0))
  return new Uint8Array(Buffer.concat([SIGNATURE, head, chunk("IDAT", data), end]))
}

describe("the reader of a PNG's alpha channel on unreadable pixels", () => {
  const rows = deflateSync(Buffer.alloc(4 * 17))
  const cases: readonly (readonly [string, Uint8Array<ArrayBuffer>, string])[] = [
    [
      "data other than zlib",
      withPixels(Buffer.from("nothing packed")),
      "one of its parts is damaged",
    ],
    [
      "truncated data",
      withPixels(rows.subarray(0, rows.length - 6)),
      "one of its parts is damaged",
    ],
    ["too few rows", withPixels(deflateSync(Buffer.alloc(50))), "one of its parts is damaged"],
    [
      "an unknown filter",
      withPixels(deflateSync(Buffer.alloc(68, 9))),
      "one of its parts is damaged",
    ],
    [
      "a header with a huge size",
      withPixels(rows, header(60_000, 60_000, 6)),
      "it has too many pixels",
    ],
  ]
  for (const [name, bytes, fault] of cases) {
    test(`rejects ${name}`, async () => {
      expect(readPng(bytes)).toBeObject()
      expect(await readAlpha(bytes)).toBe(fault as never)
      expect(await drawMask({ bytes, style: "white" })).toBe(fault as never)
    })
  }

  test("does not decompress more pixels than the header states", async () => {
    // 128 megabytes of zeros, which are compressed to half a megabyte.
    const bomb = withPixels(deflateSync(Buffer.alloc(128 * 1024 * 1024), { level: 1 }))
    const before = process.memoryUsage().rss
    expect(await readAlpha(bomb)).toMatchObject({ alpha: new Uint8Array(16) })
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024)
  })
})

describe("the mask for vendors with black and white masks", () => {
  const soft = packPng({
    width: 4,
    height: 1,
    colour: 6,
    depth: 8,
    pixel: (x) => [255, 0, 0, [0, 100, 200, 255][x] ?? 0],
  })

  async function shades(style: "white" | "black"): Promise<number[]> {
    const bytes = await drawMask({ bytes: soft, style })
    if (typeof bytes === "string") throw new Error(bytes)
    expect(readPng(bytes)).toEqual({ width: 4, height: 1, hasAlpha: false })
    const { buffer } = bytes
    const view = Buffer.from(buffer)
    const at = view.indexOf("IDAT")
    return [...inflateSync(view.subarray(at + 4, at + 4 + view.readUInt32BE(at - 4)))]
  }

  test("marks the editable area in white, and partially opaque pixels in gray", async () => {
    expect(await shades("white")).toEqual([0, 255, 155, 55, 0])
  })

  test("marks the editable area in black, without gray pixels", async () => {
    expect(await shades("black")).toEqual([0, 0, 0, 255, 255])
  })
})
