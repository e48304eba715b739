import { describe, expect, test } from "bun:test"
import { deflateSync } from "node:zlib"
import * as fc from "fast-check"
import { pdfExtent } from "../../src/media/pdf/pages.ts"
import { threadTime } from "../support/processor-time.ts"
import { makePdf } from "./make-pdf.ts"

const TEXT = "The quick brown fox jumps over the lazy dog. ".repeat(60)

describe("pdfExtent", () => {
  test.each([false, true])("counts the pages and their text; packed objects: %p", (isPacked) => {
    for (const isShared of [true, false]) {
      const extent = pdfExtent(makePdf({ pages: 3, text: TEXT, isShared, isPacked }))
      expect(extent?.pages).toBe(3)
      expect(extent?.textBytes).toBeWithin(3 * TEXT.length, 3 * TEXT.length * 1.05)
    }
  })

  test("counts a shared stream once for each page that uses it", () => {
    const pdf = makePdf({ pages: 100, text: "word ".repeat(1_500) })
    expect(pdf.length).toBeLessThan(20_000)
    expect(pdfExtent(pdf)).toMatchObject({ pages: 100, textBytes: 100 * 7_501 })
  })

  test("counts the pages in the page tree, and ignores the counts stated in the file", () => {
    const pdf = makePdf({ pages: 50, text: TEXT, comment: "%/Count 1", count: 1 })
    expect(pdfExtent(pdf)?.pages).toBe(50)
  })

  test("counts a page object as often as the page tree references it", () => {
    const kids = "10 0 R ".repeat(40)
    const pdf = withObjects(makePdf({ pages: 1, text: TEXT }), [
      `2 0 obj << /Type /Pages /Ki#64s [${kids}] /Count 1 >> endobj`,
    ])
    expect(pdfExtent(pdf)?.pages).toBe(40)
  })

  test("uses the largest of several definitions of the same object", () => {
    const longer = deflateSync(Buffer.from(`(${"x".repeat(50_000)}) Tj`))
    const pdf = Buffer.concat([
      makePdf({ pages: 2, text: "short" }),
      Buffer.from(`12\n 0 obj << /Filter /FlateDecode /Length 1 >> stream\n`),
      longer,
      Buffer.from("\nendstream endobj"),
    ])
    expect(pdfExtent(pdf)?.textBytes).toBeGreaterThanOrEqual(100_000)
  })

  test.each(["12 %\n 0 obj", "12 0 %c\r obj", "12%a\n%b\n0%c\nobj"])(
    "returns undefined for a file that hides an object behind a comment: %j",
    (head) => {
      const hidden = [`${head} << /Filter /FlateDecode /Length 1 >> stream\n`, "\nendstream endobj"]
      const pdf = [makePdf({ pages: 2, text: "short" }), ...hidden.map((text) => Buffer.from(text))]
      expect(pdfExtent(Buffer.concat(pdf))).toBeUndefined()
    },
  )

  test.each(["1%", "%1 \n", "1 1%", "obj 1 0 ", "%%%%", "1 ", "% \n1 "])(
    "reads megabytes of %j quickly",
    (repeated) => {
      const bytes = Buffer.concat([
        makePdf({ pages: 1, text: "x" }),
        Buffer.alloc(2_000_000, repeated),
      ])
      expect(threadTime(() => pdfExtent(bytes), 1_500)).toBeLessThan(1_500)
    },
  )

  test.each(["beginbfchar ", "/a%\u0001", "/a ", "/a\n%"])(
    "quickly reads a character map and a content stream with a megabyte of %j",
    (repeated) => {
      const packed = deflateSync(Buffer.alloc(1_000_000, repeated))
      const head = `<< /Filter /FlateDecode /Length ${packed.length} >> stream\n`
      const pdf = Buffer.concat([
        makePdf({ pages: 1, text: "x" }),
        ...["12 0 obj", "30 0 obj"].flatMap((name) => [
          Buffer.from(`${name} ${head}`),
          packed,
          Buffer.from("\nendstream endobj\n"),
        ]),
        Buffer.from("31 0 obj << /Type /Font /Subtype /Type0 /ToUnicode 30 0 R >> endobj"),
      ])
      expect(threadTime(() => pdfExtent(pdf), 2_000)).toBeLessThan(2_000)
    },
  )

  test("follows the objects that a page draws at all levels", () => {
    const inner = form(21, `(${"y".repeat(1_000)}) Tj`)
    const outer = form(20, "/In Do /In Do", "/Resources << /XObject << /In 21 0 R >> >>")
    const page = [
      "10 0 obj << /Type /Page /Parent 2 0 R /Contents 22 0 R",
      "/Resources << /XObject << /Out 20 0 R >> >> >> endobj",
      form(22, "/Out Do ".repeat(10)),
    ]
    const pdf = withObjects(makePdf({ pages: 1, text: "" }), [inner, outer, ...page])
    expect(pdfExtent(pdf)?.textBytes).toBeWithin(20_000, 20_100)
  })

  test("counts all characters that a font assigns to a code", () => {
    const map = `1 beginbfchar <41> <${"0062".repeat(100)}> endbfchar`
    const pdf = withObjects(makePdf({ pages: 1, text: "A".repeat(500) }), [
      "3 0 obj << /Type /Font /Subtype /Type1 /ToUnicode 30 0 R >> endobj",
      `30 0 obj << /Length ${map.length} >> stream\n${map}\nendstream endobj`,
    ])
    expect(pdfExtent(pdf)?.textBytes).toBeGreaterThanOrEqual(50_000)
  })

  test("counts the bytes of malformed strings", () => {
    const content = `BI /W 1 ID ( EI (${"z".repeat(5_000)}) Tj`
    const pdf = withObjects(makePdf({ pages: 1, text: "" }), [
      "10 0 obj << /Type /Page /Parent 2 0 R /Contents 22 0 R >> endobj",
      form(22, content),
    ])
    expect(pdfExtent(pdf)?.textBytes).toBeGreaterThanOrEqual(5_000)
  })

  const circular = "2 0 obj << /Type /Pages /Kids [2 0 R 10 0 R] >> endobj"
  const unreadable: readonly (readonly [string, Buffer])[] = [
    ["an encrypted file", makePdf({ pages: 1, text: TEXT, trailer: "/Encrypt 8 0 R" })],
    ["a file without pages", Buffer.from("%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj")],
    ["a file with a circular page tree", withObjects(makePdf({ pages: 1, text: "" }), [circular])],
    [
      "a file with an object that draws itself",
      withObjects(makePdf({ pages: 1, text: "" }), [
        "10 0 obj << /Type /Page /Contents 22 0 R >> endobj",
        form(22, "/Me Do", "/Resources << /XObject << /Me 22 0 R >> >>"),
      ]),
    ],
    [
      "a file with text in an unknown compression",
      withObjects(makePdf({ pages: 1, text: "" }), [
        "11 0 obj << /Filter /LZWDecode /Length 3 >> stream\nabc\nendstream endobj",
      ]),
    ],
    ["a file that decompresses to a gigabyte", bomb()],
    ["a file of brackets only", Buffer.from(`%PDF-1.4\n1 0 obj ${"[".repeat(1_000_000)}`)],
  ]
  test.each([...unreadable])("returns undefined for %s", (_, pdf) => {
    expect(pdfExtent(pdf)).toBeUndefined()
  })

  test("reads any bytes without an error", () => {
    const whole = [true, false].map((isPacked) => makePdf({ pages: 4, text: TEXT, isPacked }))
    fc.assert(
      fc.property(
        fc.constantFrom(...whole),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 30 }),
        fc.nat(),
        (pdf, changes, cut) => {
          const changed = Buffer.from(pdf.subarray(0, 1 + (cut % pdf.length)))
          for (const [at, byte] of changes) changed[at % changed.length] = byte
          const extent = pdfExtent(changed)
          if (extent) expect(extent.textBytes).toBeGreaterThanOrEqual(0)
        },
      ),
      { numRuns: 300 },
    )
  })
})

function form(number: number, content: string, members = ""): string {
  return `${number} 0 obj << /Subtype /Form ${members} /Length ${content.length} >> stream\n${content}\nendstream endobj`
}

function withObjects(pdf: Buffer, objects: readonly string[]): Buffer {
  return Buffer.concat([pdf, Buffer.from(`\n${objects.join("\n")}\n`, "latin1")])
}

/** Returns a PDF in which each stream decompresses to 30 MB. */
function bomb(): Buffer {
  const data = deflateSync(Buffer.alloc(30 * 1024 * 1024))
  const streams = Array.from({ length: 35 }, (_, index) =>
    Buffer.concat([
      Buffer.from(
        `${100 + index} 0 obj << /Filter /FlateDecode /Length ${data.length} >> stream\n`,
      ),
      data,
      Buffer.from("\nendstream endobj\n"),
    ]),
  )
  const contents = streams.map((_, index) => `${100 + index} 0 R`).join(" ")
  return Buffer.concat([
    makePdf({ pages: 1, text: "" }),
    Buffer.from(`10 0 obj << /Type /Page /Contents [${contents}] >> endobj\n`),
    ...streams,
  ])
}
